import { ActionIcon, type MantineColorScheme, Menu, Text, useMantineColorScheme } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { posthorn } from '../api/client.ts';
import { isFailure } from '../api/error-text.ts';
import { tellOtherWindows, useMe } from '../api/session.ts';
import { LogOut, User } from '../ui/icons.ts';
import { mayLeave } from '../ui/leaving.ts';

const SCHEMES: readonly [MantineColorScheme, string][] = [
  ['light', 'Light'],
  ['dark', 'Dark'],
  ['auto', 'As the system'],
];

/** Who is signed in, the colours, and the way out. */
export function UserMenu() {
  const { user } = useMe();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const signOut = useMutation({
    async mutationFn() {
      try {
        await posthorn.signOut();
      } catch (error) {
        // The session has ended already: that is what was wanted.
        if (!isFailure(error, 'UNAUTHENTICATED')) throw error;
      }
    },
    async onSuccess() {
      tellOtherWindows(null);
      await navigate({ to: '/sign-in', ignoreBlocker: true });
      queryClient.clear();
    },
  });
  const leave = async (): Promise<void> => {
    if (await mayLeave()) signOut.mutate();
  };
  return (
    <Menu position="bottom-end" width={230} withinPortal={false}>
      <Menu.Target>
        <ActionIcon variant="default" size="lg" radius="xl" aria-label={`Menu of ${user.name}`}>
          <User size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={600} c="var(--mantine-color-text)">
            {user.name}
          </Text>
          {user.email}
        </Menu.Label>
        <Menu.Divider />
        <Menu.Label>Colours</Menu.Label>
        <Menu.RadioGroup value={colorScheme} onChange={(value) => setColorScheme(value as MantineColorScheme)}>
          {SCHEMES.map(([value, label]) => (
            <Menu.RadioItem key={value} value={value}>
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item leftSection={<LogOut size={16} aria-hidden />} onClick={() => void leave()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
