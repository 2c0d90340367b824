import { describe } from 'node:test';
import { POSTS_IN_WORDS, withRealPosts } from './helpers/real-posts.ts';
import { comingIn } from './real-posts/coming-in.ts';
import { homeSpeed } from './real-posts/home-speed.ts';
import { realBlog } from './real-posts/real-blog.ts';
import { searches } from './real-posts/searches.ts';

describe(POSTS_IN_WORDS, withRealPosts, async () => {
  if (withRealPosts.skip) return;
  const blog = await realBlog();
  comingIn(blog);
  searches(blog);
  homeSpeed(blog);
});
