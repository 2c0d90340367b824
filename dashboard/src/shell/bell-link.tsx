import { Indicator } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { bellText } from '../lib/bell-text.ts';
import { countText } from '../lib/format.ts';
import { Bell } from '../ui/icons.ts';
import { IconLink } from '../ui/links.tsx';
import { unreadQuery } from './unread-query.ts';

/** The way to the notifications, with how many are unread. Where that cannot be told it is the way alone. */
export function BellLink() {
  const { data: unread = 0 } = useQuery(unreadQuery);
  return (
    <Indicator label={bellText(unread)} disabled={unread === 0} size={18} offset={4} color="red" zIndex={1}>
      <IconLink
        to="/notifications"
        variant="default"
        size="lg"
        radius="xl"
        aria-label={unread === 0 ? 'Notifications' : `Notifications: ${countText(unread)} unread`}
      >
        <Bell size={18} aria-hidden />
      </IconLink>
    </Indicator>
  );
}
