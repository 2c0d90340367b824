-- The managed list in its orders (src/modules/blog/authoring): what is published or scheduled has an index for each of them
-- already; these are the same for drafts and what is archived. A page of all posts is merged of both. Few posts stand in
-- them, and those change seldom: nobody views or likes a draft.
create index posts_unlisted_published on posts (published_at desc nulls last, id desc)
  where archived_at is not null or published_at is null;
create index posts_unlisted_commented on posts (comment_count desc, id desc)
  where archived_at is not null or published_at is null;
create index post_counters_unlisted_viewed on post_counters (view_count desc, post_id desc)
  where listed_from is null;
create index post_counters_unlisted_liked on post_counters (like_count desc, post_id desc)
  where listed_from is null;
