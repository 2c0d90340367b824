import { ActionIcon, Menu } from '@mantine/core';
import type { ManagedPost } from '@posthorn/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { posthorn } from '../api/client.ts';
import { notifyDone } from '../api/notices.tsx';
import { useMe } from '../api/session.ts';
import { confirm } from '../ui/confirm.tsx';
import { ArrowUpRight, Ellipsis, EyeOff, Link, Trash2 } from '../ui/icons.ts';
import type { UsedDraft } from './use-draft.ts';

interface PostMenuProps {
  post: ManagedPost;
  onPreviewLink: () => void;
  /** Saves what goes by itself; false when nothing can be done now. */
  flush: () => Promise<boolean>;
  act: UsedDraft['act'];
}

/** Of what is not done every day: preview link, unpublish, delete. */
export function PostMenu({ post, onPreviewLink, flush, act }: PostMenuProps) {
  const { user } = useMe();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const unpublish = useMutation({
    mutationFn: () => act((version) => posthorn.unpublishPost({ id: post.id, ifMatch: version })),
    onSuccess: ({ status }) =>
      notifyDone(status === 'ARCHIVED' ? 'Readers do not see the post any more.' : 'The post is a draft.'),
  });
  const remove = useMutation({
    mutationFn: () => posthorn.deletePost({ id: post.id }),
    async onSuccess() {
      notifyDone('The post is deleted.');
      await queryClient.invalidateQueries({ queryKey: ['posts'] });
      await navigate({ to: '/posts', ignoreBlocker: true });
    },
  });
  const askUnpublish = async (): Promise<void> => {
    if (!(await flush())) return;
    const isPublic = post.status === 'PUBLISHED';
    const isSure =
      !isPublic ||
      (await confirm({
        title: 'Unpublish this post?',
        text: 'Readers will not see it any more. Its likes and comments stay, and you can publish it again.',
        action: 'Unpublish',
      }));
    if (isSure) unpublish.mutate();
  };
  const askRemove = async (): Promise<void> => {
    const isSure = await confirm({
      title: 'Delete this post?',
      text: 'Its likes and comments go with it. Nothing brings them back.',
      action: 'Delete',
    });
    if (isSure) remove.mutate();
  };
  const mayDelete = user.blogRole === 'EDITOR' || post.status === 'DRAFT';
  return (
    <Menu position="bottom-end" withinPortal={false}>
      <Menu.Target>
        <ActionIcon variant="default" size={36} aria-label="More">
          <Ellipsis size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<Link size={16} aria-hidden />} onClick={onPreviewLink}>
          Preview link …
        </Menu.Item>
        {post.status === 'PUBLISHED' && (
          <Menu.Item
            component="a"
            href={`/blog/${post.slug}`}
            target="_blank"
            rel="noopener"
            leftSection={<ArrowUpRight size={16} aria-hidden />}
          >
            Open on the blog
          </Menu.Item>
        )}
        {post.status !== 'DRAFT' && (
          <Menu.Item leftSection={<EyeOff size={16} aria-hidden />} onClick={() => void askUnpublish()}>
            {post.status === 'PUBLISHED' ? 'Unpublish …' : 'Back to a draft'}
          </Menu.Item>
        )}
        {mayDelete && (
          <Menu.Item
            c="var(--mantine-color-error)"
            leftSection={<Trash2 size={16} aria-hidden />}
            onClick={() => void askRemove()}
          >
            Delete …
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
