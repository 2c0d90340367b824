import { ActionIcon, Menu, SegmentedControl, Text, useMantineColorScheme } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { posthorn } from '../api/client.ts';
import { useMe } from '../api/session.ts';
import { LogOut, Monitor, Moon, Sun, User } from '../ui/icons.ts';

const SCHEMES = [
  { value: 'light', label: <Sun size={16} aria-label="Light" /> },
  { value: 'dark', label: <Moon size={16} aria-label="Dark" /> },
  { value: 'auto', label: <Monitor size={16} aria-label="As the system" /> },
] as const;

/** Who is signed in, the colours, and the way out. */
export function UserMenu() {
  const { user } = useMe();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const signOut = useMutation({
    mutationFn: () => posthorn.signOut(),
    async onSuccess() {
      await navigate({ to: '/sign-in' });
      queryClient.clear();
    },
  });
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
        <SegmentedControl
          fullWidth
          size="xs"
          aria-label="Colours"
          data={[...SCHEMES]}
          value={colorScheme}
          onChange={(value) => setColorScheme(value)}
        />
        <Menu.Divider />
        <Menu.Item leftSection={<LogOut size={16} aria-hidden />} onClick={() => signOut.mutate()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
