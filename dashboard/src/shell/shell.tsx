import { AppShell, Box, Burger, Group, ScrollArea, Switch, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { modals } from '@mantine/modals';
import { Outlet, useLocation, useRouter } from '@tanstack/react-router';
import { Suspense, useEffect, useRef } from 'react';
import { useMe } from '../api/session.ts';
import { setExactTimes, useExactTimes } from '../ui/exact-times.ts';
import { NavItem, TextLink } from '../ui/links.tsx';
import { CONTENT_ID } from '../ui/lost-focus.ts';
import { Waiting } from '../ui/waiting.tsx';
import { AccountSwitcher } from './account-switcher.tsx';
import { BellLink } from './bell-link.tsx';
import { useKeptFocus } from './kept-focus.ts';
import { OWN_SECTION, sectionsOf } from './navigation.ts';
import classes from './shell.module.css';
import { useAccount } from './use-account.ts';
import { UserMenu } from './user-menu.tsx';

/** Header, navigation by roles, and the page. */
export function Shell() {
  const [isOpen, menu] = useDisclosure(false);
  const { pathname } = useLocation();
  const router = useRouter();
  const content = useRef<HTMLElement>(null);
  const { close } = menu;
  useEffect(close, [pathname, close]);
  useKeptFocus(content, pathname);
  // A question is of the place where it was asked: left by Back, it is answered with no.
  useEffect(
    () => router.subscribe('onBeforeLoad', ({ hrefChanged }) => void (hrefChanged && modals.closeAll())),
    [router],
  );
  // On a phone the navigation lies over the page, and goes away with what was chosen.
  const chosen = (): void => {
    if (!isOpen) return;
    close();
    content.current?.focus();
  };
  return (
    <>
      <a className={classes.skip} href={`#${CONTENT_ID}`}>
        Skip to the content
      </a>
      <AppShell
        header={{ height: 56 }}
        navbar={{ width: 230, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
        padding="md"
      >
        <AppShell.Header className={classes.screen}>
          <Group h="100%" px="md" justify="space-between" wrap="nowrap">
            <Group gap="xs" wrap="nowrap">
              <Burger
                opened={isOpen}
                onClick={menu.toggle}
                hiddenFrom="sm"
                size="sm"
                aria-label={isOpen ? 'Close the navigation' : 'Open the navigation'}
                aria-expanded={isOpen}
              />
              <TextLink to="/" underline="never" c="inherit" aria-label="Posthorn">
                <Group gap={8} wrap="nowrap">
                  <img src="/dashboard/icon.svg" alt="" width={26} height={26} />
                  <Text fw={700} visibleFrom="xs">
                    Posthorn
                  </Text>
                </Group>
              </TextLink>
            </Group>
            <Group gap="xs" wrap="nowrap">
              <AccountSwitcher />
              <BellLink />
              <UserMenu />
            </Group>
          </Group>
        </AppShell.Header>
        <AppShell.Navbar
          p="xs"
          aria-label="Main navigation"
          className={`${classes.screen} ${isOpen ? '' : classes.closed}`}
        >
          <ScrollArea>
            <Navigation onChoose={chosen} />
            <ExactTimes />
          </ScrollArea>
        </AppShell.Navbar>
        <AppShell.Main ref={content} id={CONTENT_ID} tabIndex={-1} className={classes.main}>
          <Suspense fallback={<Waiting />}>
            <Outlet />
          </Suspense>
        </AppShell.Main>
      </AppShell>
    </>
  );
}

function Navigation({ onChoose }: { onChoose: () => void }) {
  const sections = [...sectionsOf(useMe(), useAccount()), OWN_SECTION];
  return sections.map((section) => (
    <div key={section.title} className={classes.section}>
      <Text size="xs" fw={600} c="dimmed" px="sm" py={4} truncate title={section.title}>
        {section.title}
      </Text>
      {section.entries.map(({ label, icon: Icon, link }) => (
        <NavItem
          key={label}
          {...link}
          label={label}
          leftSection={<Icon size={18} aria-hidden />}
          onClick={onChoose}
          className={classes.item}
        />
      ))}
    </div>
  ));
}

/** For all times on all pages: what a tooltip says is out of reach of keyboards and fingers. */
function ExactTimes() {
  const on = useExactTimes();
  return (
    // Around the switch: on it the space would push its hidden input out, and a scroll bar would lie over it.
    <Box px="sm">
      <Switch
        size="xs"
        label="Exact times"
        checked={on}
        onChange={(event) => setExactTimes(event.currentTarget.checked)}
      />
    </Box>
  );
}
