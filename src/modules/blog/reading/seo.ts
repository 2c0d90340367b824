import { cutText } from '../../../lib/markdown-text.ts';
import type { Seo } from '../schemas.ts';
import type { PublicPostDetail } from './detail-store.ts';

/** Longer descriptions are cut by search engines. Characters. */
const DESCRIPTION_MAX = 300;

/** Where readers find the post: below the public address of the service; null when that or the slug is not known yet. */
const canonicalOf = (slug: string, publicUrl: string | undefined): string | null =>
  publicUrl === undefined || slug === '' ? null : `${publicUrl.replace(/\/+$/, '')}/blog/${slug}`;

/** Title, description, address, Open Graph and JSON-LD of a post, ready to be put into the head of its page. */
export function seoOf(post: PublicPostDetail, publicUrl: string | undefined): Seo {
  const title = post.seoTitle?.trim() || post.title;
  const description = cutText(post.seoDescription?.trim() || post.excerpt, DESCRIPTION_MAX);
  const canonical = canonicalOf(post.slug, publicUrl);
  const published = post.publishedAt.toISOString();
  const modified = (post.updatedAt > post.publishedAt ? post.updatedAt : post.publishedAt).toISOString();
  const image = post.coverImageUrl;
  return {
    title,
    description,
    canonical,
    openGraph: {
      'og:type': 'article',
      'og:title': title,
      'og:description': description,
      ...(canonical === null ? {} : { 'og:url': canonical }),
      ...(image === null ? {} : { 'og:image': image }),
      ...(image === null || !post.coverImageAlt?.trim() ? {} : { 'og:image:alt': post.coverImageAlt }),
      'article:published_time': published,
      'article:modified_time': modified,
      'article:author': post.authorName,
      'article:section': post.category,
      'article:tag': post.tags,
    },
    jsonLd: {
      '@context': 'https://schema.org',
      '@type': 'BlogPosting',
      headline: title,
      description,
      datePublished: published,
      dateModified: modified,
      author: { '@type': 'Person', name: post.authorName },
      articleSection: post.category,
      keywords: post.tags,
      ...(image === null ? {} : { image }),
      ...(canonical === null ? {} : { url: canonical, mainEntityOfPage: canonical }),
    },
  };
}
