import { Badge, Button, Group, Menu, Text } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import { useMe } from '../api/session.ts';
import { Check, ChevronDown } from '../ui/icons.ts';
import { MenuLink } from '../ui/links.tsx';
import { samePage } from './same-page.ts';
import { ALL_ACCOUNTS, useAccount } from './use-account.ts';

/** The account that is looked at, and for members of several the way to another one. */
export function AccountSwitcher() {
  const { accounts: mine, user } = useMe();
  const accounts = user.operator ? [ALL_ACCOUNTS, ...mine] : mine;
  const account = useAccount();
  const { pathname } = useLocation();
  if (!account) return null;
  if (accounts.length < 2) {
    return (
      <Text size="sm" truncate maw={180}>
        {account.name}
      </Text>
    );
  }
  return (
    <Menu position="bottom-end" withinPortal={false}>
      <Menu.Target>
        <Button variant="default" size="xs" rightSection={<ChevronDown size={14} aria-hidden />} maw={200}>
          <Text span truncate inherit>
            {account.name}
          </Text>
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Accounts</Menu.Label>
        {accounts.map((each) => (
          <MenuLink
            key={each.id}
            // The router has no type for a page that stays while its account changes; `/` stands for any.
            to={samePage(pathname, each) as '/'}
            rightSection={each.id === account.id ? <Check size={14} aria-label="shown" /> : undefined}
          >
            <Group gap="xs">
              {each.name}
              {each !== ALL_ACCOUNTS && (
                <Badge size="xs" variant="default">
                  {each.type.toLowerCase()}
                </Badge>
              )}
            </Group>
          </MenuLink>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
