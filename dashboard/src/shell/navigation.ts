import { linkOptions, type LinkProps } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import type { Account, Me } from '../api/session.ts';
import {
  Activity,
  ArrowLeftRight,
  Bell,
  BookOpen,
  Building2,
  CalendarDays,
  ChartColumn,
  FileText,
  History,
  KeyRound,
  ListChecks,
  LockKeyhole,
  MailOpen,
  MailX,
  MessageSquare,
  Network,
  ScrollText,
  Send,
  Users,
  Webhook,
} from '../ui/icons.ts';
import { hasPage } from './same-page.ts';
import { ALL_ACCOUNTS } from './use-account.ts';

export interface NavEntry {
  label: string;
  icon: ComponentType<{ size?: number; 'aria-hidden'?: boolean }>;
  link: Pick<LinkProps, 'to' | 'params' | 'search'>;
}

export interface NavSection {
  title: string;
  entries: readonly NavEntry[];
}

/** What is about whoever is signed in, below all the rest. */
export const OWN_SECTION: NavSection = {
  title: 'You',
  entries: [
    { label: 'Notifications', icon: Bell, link: linkOptions({ to: '/notifications' }) },
    { label: 'Password', icon: LockKeyhole, link: linkOptions({ to: '/password' }) },
  ],
};

/** What somebody may see of the blog, an account and the service, in order; `account` is the one that is looked at. A section without entries is left out. */
export function sectionsOf(me: Me, account: Account | undefined): NavSection[] {
  const { blogRole, operator } = me.user;
  const looked = account ?? (operator ? ALL_ACCOUNTS : undefined);
  const sections: NavSection[] = [
    {
      title: 'Blog',
      entries: blogRole === null ? [] : blogEntries(blogRole === 'EDITOR'),
    },
    { title: looked?.name ?? '', entries: looked ? accountEntries(looked) : [] },
    { title: 'Operations', entries: operator ? operatorEntries() : [] },
  ];
  return sections.filter((section) => section.entries.length > 0);
}

function blogEntries(isEditor: boolean): NavEntry[] {
  return [
    { label: 'Posts', icon: FileText, link: linkOptions({ to: '/posts' }) },
    { label: 'Comments', icon: MessageSquare, link: linkOptions({ to: '/comments' }) },
    ...(isEditor
      ? [
          { label: 'Moderation log', icon: ScrollText, link: linkOptions({ to: '/moderation-log' }) },
          { label: 'Comment rules', icon: ListChecks, link: linkOptions({ to: '/comment-rules' }) },
        ]
      : []),
  ];
}

/** What an account has: merchants trade, businesses take bookings, and everybody has keys. */
function accountEntries(account: Account): NavEntry[] {
  const params = { accountId: account.id };
  const trades = hasPage(account, 'trades');
  return [
    { label: 'Overview', icon: ChartColumn, link: linkOptions({ to: '/a/$accountId/overview', params }) },
    ...(trades
      ? [{ label: 'Endpoints', icon: Webhook, link: linkOptions({ to: '/a/$accountId/endpoints', params }) }]
      : []),
    ...(hasPage(account, 'subscriptions')
      ? [
          {
            label: 'Subscriptions',
            icon: CalendarDays,
            link: linkOptions({ to: '/a/$accountId/subscriptions', params }),
          },
        ]
      : []),
    { label: 'Deliveries', icon: Send, link: linkOptions({ to: '/a/$accountId/deliveries', params }) },
    { label: 'Dead letters', icon: MailX, link: linkOptions({ to: '/a/$accountId/dead-letters', params }) },
    ...(trades
      ? [
          { label: 'Trades', icon: ArrowLeftRight, link: linkOptions({ to: '/a/$accountId/trades', params }) },
          { label: 'Inbound log', icon: MailOpen, link: linkOptions({ to: '/a/$accountId/inbound', params }) },
        ]
      : []),
    { label: 'Audit trail', icon: Network, link: linkOptions({ to: '/a/$accountId/events', params }) },
    { label: 'Event catalogue', icon: BookOpen, link: linkOptions({ to: '/a/$accountId/catalogue', params }) },
    ...(hasPage(account, 'keys')
      ? [{ label: 'API keys', icon: KeyRound, link: linkOptions({ to: '/a/$accountId/keys', params }) }]
      : []),
    ...(hasPage(account, 'changes')
      ? [{ label: 'Changes', icon: History, link: linkOptions({ to: '/a/$accountId/changes', params }) }]
      : []),
  ];
}

function operatorEntries(): NavEntry[] {
  return [
    { label: 'System', icon: Activity, link: linkOptions({ to: '/operators/system' }) },
    { label: 'Readers', icon: ScrollText, link: linkOptions({ to: '/operators/readers' }) },
    { label: 'Accounts', icon: Building2, link: linkOptions({ to: '/operators/accounts' }) },
    { label: 'Users', icon: Users, link: linkOptions({ to: '/operators/users' }) },
    { label: 'All API keys', icon: KeyRound, link: linkOptions({ to: '/operators/keys' }) },
    { label: 'All changes', icon: History, link: linkOptions({ to: '/operators/changes' }) },
  ];
}
