import { linkOptions, type LinkProps } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import type { Account, Me } from '../api/session.ts';
import { FileText, ListChecks, MessageSquare, ScrollText } from '../ui/icons.ts';

export interface NavEntry {
  label: string;
  icon: ComponentType<{ size?: number; 'aria-hidden'?: boolean }>;
  link: Pick<LinkProps, 'to' | 'params' | 'search'>;
}

export interface NavSection {
  title: string;
  entries: readonly NavEntry[];
}

/** What somebody may see, in order; `account` is the one that is looked at. A section without entries is left out. */
export function sectionsOf(me: Me, _account: Account | undefined): NavSection[] {
  const { blogRole } = me.user;
  const sections: NavSection[] = [
    {
      title: 'Blog',
      entries: blogRole === null ? [] : blogEntries(blogRole === 'EDITOR'),
    },
  ];
  return sections.filter((section) => section.entries.length > 0);
}

function blogEntries(isEditor: boolean): NavEntry[] {
  return [
    { label: 'Posts', icon: FileText, link: linkOptions({ to: '/posts' }) },
    { label: 'Comments', icon: MessageSquare, link: linkOptions({ to: '/comments' }) },
    { label: 'Moderation log', icon: ScrollText, link: linkOptions({ to: '/moderation-log' }) },
    ...(isEditor ? [{ label: 'Comment rules', icon: ListChecks, link: linkOptions({ to: '/comment-rules' }) }] : []),
  ];
}
