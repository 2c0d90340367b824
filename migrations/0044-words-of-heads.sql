-- Additions to src/modules/blog/search: how many posts that readers see, or will, have a word in title, tags or an excerpt. It was counted each
-- time that a post was saved, drafts as well, and never taken back: a draft that was saved often hid the posts of all words that begin alike.

-- What of a post is counted in post_words, with spaces between the words. Of one that was deleted (null) upkeep takes it back.
create table post_head_words (
  post_id uuid constraint post_head_words_post unique references posts (id) on delete set null,
  words text collate "C" not null
);

-- Upkeep counts all posts anew, some at a time, in the order of their ids: up to which it has asked for them. No row: all are asked for.
create table post_words_recount (
  only_row boolean primary key default true constraint post_words_recount_one check (only_row),
  after uuid not null
);
insert into post_words_recount (after) select '00000000-0000-0000-0000-000000000000' where exists (select from posts);
update post_words set used = 0 where used <> 0;
