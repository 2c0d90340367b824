import { Alert, Button, Group, Stack, Tabs, TextInput, VisuallyHidden } from '@mantine/core';
import { useDocumentTitle, useHotkeys } from '@mantine/hooks';
import type { ManagedPost } from '@posthorn/client';
import { getRouteApi } from '@tanstack/react-router';
import { confirm } from '../ui/confirm.tsx';
import { ArrowLeft } from '../ui/icons.ts';
import { useAskBeforeLeaving } from '../ui/leaving.ts';
import { LinkButton, TextLink } from '../ui/links.tsx';
import { RelativeTime } from '../ui/relative-time.tsx';
import { ConflictScreen } from './conflict-screen.tsx';
import { DetailsTab } from './details-tab.tsx';
import type { DraftKeeper } from './draft-keeper.ts';
import { PostActions } from './post-actions.tsx';
import { SaveIndicator } from './save-indicator.tsx';
import { StatusBadge } from './status-badge.tsx';
import { TextTab } from './text-tab.tsx';
import { type UsedDraft, useDraft } from './use-draft.ts';

const route = getRouteApi('/shell/posts/$postId');

/** Leaving the page saves first; what cannot be saved is left behind only on purpose. */
async function mayLeave(keeper: DraftKeeper): Promise<boolean> {
  if (keeper.savesByItself && (await keeper.save(true))) return true;
  return confirm({
    title: 'Leave without saving?',
    text: 'Your changes are not on the service. This browser keeps them and offers them when you come back.',
    action: 'Leave',
    destructive: false,
  });
}

/** The form of a post: text and details, saved as the keeper decides, or the conflict that has to be decided first. */
export function PostEditor({ initial }: { initial: ManagedPost }) {
  const draft = useDraft(initial);
  const { keeper, post, fields, state } = draft;
  const { tab = 'text' } = route.useSearch();
  const navigate = route.useNavigate();
  useDocumentTitle(`${fields.title || 'Untitled'} · Posthorn`);
  useAskBeforeLeaving({ holds: () => keeper.isDirty, ask: () => mayLeave(keeper), links: true });
  useHotkeys([['mod+S', () => void keeper.flush()]], [], true);
  return (
    <Stack gap="sm">
      <VisuallyHidden component="h1">{fields.title || 'Untitled'}</VisuallyHidden>
      <Group justify="space-between" gap="xs">
        <Group gap="sm">
          <TextLink to="/posts" size="sm">
            <Group gap={4} component="span">
              <ArrowLeft size={15} aria-hidden /> Posts
            </Group>
          </TextLink>
          <StatusBadge status={post.status} />
          {post.status === 'SCHEDULED' && <RelativeTime at={post.publishedAt} />}
          <SaveIndicator state={state} savesByItself={keeper.savesByItself} />
        </Group>
        <Group gap="xs">
          <LinkButton variant="default" to="/posts/$postId/history" params={{ postId: post.id }}>
            History
          </LinkButton>
          <PostActions draft={draft} />
        </Group>
      </Group>
      {state.kind === 'conflict' ? (
        <ConflictScreen
          mine={fields}
          theirs={state.theirs}
          merged={state.merged}
          onMerge={(change) => keeper.merge(change)}
          onDecide={(decided) => void keeper.resolve(decided)}
        />
      ) : (
        <>
          <CopyNotice draft={draft} />
          <TextInput
            aria-label="Title"
            attributes={{ input: { dir: 'auto' } }}
            placeholder="Title"
            size="lg"
            fw={700}
            value={fields.title}
            maxLength={200}
            onChange={(event) => keeper.change({ title: event.currentTarget.value })}
          />
          <Tabs
            value={tab}
            onChange={(value) =>
              void navigate({
                search: (s) => ({ ...s, tab: value === 'details' ? 'details' : undefined }),
                replace: true,
              })
            }
          >
            <Tabs.List aria-label="Parts of the post">
              <Tabs.Tab value="text">Text</Tabs.Tab>
              <Tabs.Tab value="details">Details</Tabs.Tab>
            </Tabs.List>
            <Tabs.Panel value="text" pt="sm">
              <TextTab body={fields.body} onChange={(body) => keeper.change({ body })} />
            </Tabs.Panel>
            <Tabs.Panel value="details" pt="sm" keepMounted={false}>
              <DetailsTab post={post} fields={fields} onChange={(change) => keeper.change(change)} />
            </Tabs.Panel>
          </Tabs>
        </>
      )}
    </Stack>
  );
}

/** Offers what was written and never saved, one after the other, until each is answered. */
function CopyNotice({ draft: { aside, keeper, post } }: { draft: UsedDraft }) {
  const copy = aside[0];
  if (!copy) return null;
  return (
    <Alert color="yellow" title="There are changes that were never saved">
      This browser kept them <RelativeTime at={copy.at} />.
      {copy.version !== post.version &&
        ' The post was saved since then: if you take them, what it is now stays in its history only.'}
      <Group gap="xs" mt="xs">
        <Button size="xs" onClick={() => keeper.take(copy)}>
          Take them
        </Button>
        <Button size="xs" variant="default" onClick={() => keeper.forget(copy)}>
          Forget them
        </Button>
      </Group>
    </Alert>
  );
}
