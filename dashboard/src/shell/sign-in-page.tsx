import { Center } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { meQuery, tellOtherWindows } from '../api/session.ts';
import { userGuard } from '../api/user-guard.ts';
import { SignInForm } from './sign-in-form.tsx';

const route = getRouteApi('/sign-in');

/** Where nobody is signed in yet: leads to the page that was meant. */
export function SignInPage() {
  useDocumentTitle('Sign in · Posthorn');
  const { to } = route.useSearch();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const enter = async (): Promise<void> => {
    userGuard.forget();
    queryClient.clear();
    tellOtherWindows((await queryClient.fetchQuery(meQuery)).user.id);
    await navigate({ href: to ?? '/' });
  };
  return (
    <Center component="main" mih="100dvh" p="md">
      <SignInForm onSignedIn={enter} />
    </Center>
  );
}
