import { Group, Paper, PasswordInput, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { posthorn } from '../api/client.ts';
import { notifyDone } from '../api/notices.tsx';
import { faultOf } from '../api/error-text.ts';
import { Failure } from '../ui/failure.tsx';
import { NewPassword } from '../ui/new-password.tsx';
import { Page } from '../ui/page.tsx';
import { SteadyButton } from '../ui/steady-button.tsx';

const EMPTY = { currentPassword: '', newPassword: '', again: '' };

/** Where somebody changes the own password. */
export function PasswordPage() {
  const [typed, setTyped] = useState(EMPTY);
  const set = (change: Partial<typeof EMPTY>): void => setTyped((old) => ({ ...old, ...change }));
  const { currentPassword, newPassword, again } = typed;
  const change = useMutation({
    mutationFn: () => posthorn.changePassword({ body: { currentPassword, newPassword } }),
    meta: { silent: true },
    onSuccess() {
      setTyped(EMPTY);
      notifyDone('The password is changed. Wherever else you were signed in, you are not any more.');
    },
  });
  const wrong = faultOf(change.error, 'body.currentPassword');
  const unfit = faultOf(change.error, 'body.newPassword');
  const isTypo = again !== '' && again !== newPassword;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (again === newPassword) change.mutate();
  };
  return (
    <Page title="Password" text="Changing it ends all your other sessions.">
      <Paper withBorder p="md" component="form" onSubmit={submit} maw={460}>
        <Stack>
          <PasswordInput
            label="Current password"
            required
            autoComplete="current-password"
            value={currentPassword}
            error={wrong}
            errorProps={{ role: 'alert' }}
            aria-invalid={wrong !== undefined}
            onChange={(event) => {
              set({ currentPassword: event.currentTarget.value });
              if (wrong !== undefined) change.reset();
            }}
          />
          <NewPassword
            label="New password"
            description="At least 8 characters."
            value={newPassword}
            error={unfit}
            onChange={(next) => {
              set({ newPassword: next });
              if (unfit !== undefined) change.reset();
            }}
          />
          <NewPassword
            label="New password again"
            value={again}
            error={isTypo && 'This is not what stands above.'}
            onChange={(next) => set({ again: next })}
          />
          {change.error && wrong === undefined && unfit === undefined && <Failure error={change.error} />}
          <Group>
            <SteadyButton type="submit" isBusy={change.isPending} isOff={isTypo}>
              Change it
            </SteadyButton>
          </Group>
        </Stack>
      </Paper>
    </Page>
  );
}
