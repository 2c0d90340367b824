-- online
-- Drafts and archived posts of an author (src/modules/blog/authoring). Those of all authors have an index by their change, in which an
-- author who has few looked past the others' (0003); nobody's are many.
create index concurrently if not exists posts_author_unlisted on posts (author_id, changed_at desc, id desc)
  where archived_at is not null or published_at is null;
