import { Paper, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { visitor } from '../api/client.ts';
import { isFailure } from '../api/error-text.ts';
import { userGuard } from '../api/user-guard.ts';
import { Failure } from '../ui/failure.tsx';
import { SteadyButton } from '../ui/steady-button.tsx';

interface SignInFormProps {
  /** Given who signed in; the form waits for what it returns. */
  onSignedIn: (userId: string) => Promise<void>;
  /** Who it is about to be. */
  email?: string;
  /** Why it is asked for. */
  text?: string;
}

/** E-mail and password become a session, whose token is a cookie that no script reads. */
export function SignInForm({ onSignedIn, email: begun = '', text }: SignInFormProps) {
  const [email, setEmail] = useState(begun);
  const [password, setPassword] = useState('');
  const signIn = useMutation({
    meta: { silent: true },
    mutationFn: () =>
      userGuard.during(async () => {
        const { user } = await visitor.openBrowserSession({ body: { email, password } });
        await onSignedIn(user.id);
      }),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    signIn.mutate();
  };
  const isWrong = isFailure(signIn.error, 'UNAUTHENTICATED');
  return (
    <Paper withBorder p="xl" w="100%" maw={400} shadow="sm">
      <form onSubmit={submit}>
        <Stack>
          <Title order={1} size="h2" id="sign-in">
            Sign in to Posthorn
          </Title>
          {text !== undefined && <Text size="sm">{text}</Text>}
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
            data-autofocus={begun !== '' || undefined}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            error={isWrong ? 'This e-mail and password do not belong together.' : undefined}
          />
          <SteadyButton type="submit" isBusy={signIn.isPending}>
            Sign in
          </SteadyButton>
        </Stack>
      </form>
    </Paper>
  );
}
