import { Switch } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { posthorn } from '../api/client.ts';
import { NOTIFICATIONS_KEY } from '../shell/unread-query.ts';

const queryKey = [...NOTIFICATIONS_KEY, 'settings'] as const;

/** Whether the user gets e-mails, too. Absent until that is known. */
export function EmailSwitch() {
  const queries = useQueryClient();
  const settings = useQuery({ queryKey, queryFn: ({ signal }) => posthorn.getNotificationSettings({}, { signal }) });
  const change = useMutation({
    mutationFn: (email: boolean) => posthorn.updateNotificationSettings({ body: { email } }),
    onSuccess: (saved) => queries.setQueryData(queryKey, saved),
  });
  if (settings.data === undefined) return null;
  return (
    <Switch
      label="Also by e-mail, where the service sends any"
      checked={change.isPending ? change.variables : settings.data.email}
      onChange={(event) => {
        if (!change.isPending) change.mutate(event.currentTarget.checked);
      }}
    />
  );
}
