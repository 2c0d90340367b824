-- Additions to src/modules/blog/search and src/modules/blog/rendering.

-- How often a word is used, in powers of two: so that the most used words of a beginning, however short, are found by
-- reading a few of each rank. By `used` itself every use would be another entry of the index.
alter table post_words add column rank smallint not null generated always as (width_bucket(used, array[1, 2, 4, 8, 16,
  32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288])) stored;
create index post_words_rank on post_words (rank, word);

-- Renderings of this body that were given up, one after the other; after some of them no further one is tried.
alter table post_bodies add column html_tries smallint not null default 0;
