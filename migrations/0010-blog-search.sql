-- Tables of src/modules/blog/search and src/modules/blog/rendering.

-- The Markdown as safe HTML, made when the body is written. The version is that of the renderer, 0 while there is no
-- rendering: upkeep makes what is missing or of another version anew, and a read does not wait for it.
alter table post_bodies add column html text;
alter table post_bodies add column html_version integer not null default 0;
create index post_bodies_html_version on post_bodies (html_version);

-- One search document per post, in whatever state, written with the post. Apart from posts, because counters rewrite
-- those. There is no index on `at` on purpose: the planner would walk it for common words and read every document.
create table post_search (
  post_id uuid primary key references posts (id) on delete cascade,
  -- The time by which matches are the newest: of publication, or of creation where there is none.
  at timestamptz(3) not null,
  -- Of the code that made the document (INDEX_VERSION).
  version integer not null,
  -- Title, tags and excerpt: short enough to rank a thousand of them.
  head tsvector not null,
  -- The same with the body, and what is filtered by as lexemes that begin with '='.
  document tsvector not null
);
-- Vectors do not compress; trying costs more than it gives.
alter table post_search alter column document set storage external;
-- Without a list of pending entries, which every search would read through.
create index post_search_document on post_search using gin (document) with (fastupdate = off);
-- A search reads few rows; to start helpers for it takes longer than to read them.
alter table post_search set (parallel_workers = 0);
create index post_search_version on post_search (version);

-- Words of posts, for unfinished and misspelt words of a query.
create table post_words (
  word text collate "C" primary key,
  -- How often a title, tag or excerpt with the word was indexed: which words are offered first.
  used integer not null default 0,
  -- The word with some letters left out: two words that differ in a letter or two share one of these.
  near text[] collate "C" not null default '{}'
);
create index post_words_near on post_words using gin (near) with (fastupdate = off);

-- Posts that upkeep has yet to look at: their words, and what is missing or of an older version.
create table post_upkeep (
  post_id uuid primary key references posts (id) on delete cascade
);
insert into post_upkeep (post_id) select id from posts;
