-- A reader of the log may be divided by account into parts, each with a cursor and a lease of its own (docs/adr/0034). A part
-- is a row of this table like a reader. Which accounts it has is in its name and never changes: what is divided further is
-- replaced by other rows, in the statement that finds it without a holder.
alter table event_readers
  -- The reader that this is a part of; null: it is a reader.
  add column part_of text,
  -- It has the accounts whose slot (the last byte of the id), modulo `parts`, is `part`.
  add column part smallint not null default 0,
  add column parts smallint not null default 1,
  -- Into how many parts a reader is to be divided.
  add column wanted_parts smallint not null default 1,
  -- A reader whose parts read instead of it. Nobody can have its lease any more.
  add column divided boolean not null default false;

-- The processes among which the parts of a reader are shared, each for as long as it says so.
create table event_reader_nodes (
  reader text not null,
  node text not null,
  until timestamptz not null,
  primary key (reader, node)
);
