import { Button, Center, Paper, PasswordInput, Stack, TextInput, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { posthorn } from '../api/client.ts';
import { isFailure } from '../api/error-text.ts';
import { meQuery, tellOtherWindows } from '../api/session.ts';
import { userGuard } from '../api/user-guard.ts';
import { Failure } from '../ui/failure.tsx';

const route = getRouteApi('/sign-in');

/** E-mail and password become a session, whose token is a cookie that no script reads. */
export function SignInPage() {
  useDocumentTitle('Sign in · Posthorn');
  const { to } = route.useSearch();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const signIn = useMutation({
    meta: { silent: true },
    mutationFn: () => posthorn.openBrowserSession({ body: { email, password } }),
    async onSuccess() {
      userGuard.forget();
      queryClient.clear();
      tellOtherWindows((await queryClient.fetchQuery(meQuery)).user.id);
      await navigate({ href: to ?? '/' });
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    signIn.mutate();
  };
  const isWrong = isFailure(signIn.error, 'UNAUTHENTICATED');
  return (
    <Center component="main" mih="100dvh" p="md">
      <Paper withBorder p="xl" w="100%" maw={400} shadow="sm">
        <form onSubmit={submit}>
          <Stack>
            <Title order={1} size="h2">
              Sign in to Posthorn
            </Title>
            {signIn.isError && !isWrong && <Failure error={signIn.error} />}
            <TextInput
              label="E-mail"
              type="email"
              name="email"
              autoComplete="username"
              required
              withAsterisk={false}
              value={email}
              onChange={(event) => setEmail(event.currentTarget.value)}
            />
            <PasswordInput
              label="Password"
              name="password"
              autoComplete="current-password"
              required
              withAsterisk={false}
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
              error={isWrong ? 'This e-mail and password do not belong together.' : undefined}
            />
            <Button type="submit" loading={signIn.isPending}>
              Sign in
            </Button>
          </Stack>
        </form>
      </Paper>
    </Center>
  );
}
