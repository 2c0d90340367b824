import { Button } from '@mantine/core';
import type { ManagedPost } from '@posthorn/client';
import { useState } from 'react';
import { PostMenu } from './post-menu.tsx';
import { PreviewLinkDialog } from './preview-link-dialog.tsx';
import { PublishDialog } from './publish-dialog.tsx';
import type { UsedDraft } from './use-draft.ts';

interface PostActionsProps {
  draft: UsedDraft;
  onChanged: (post: ManagedPost) => void;
}

/** What can be done with a post in its state. Each begins with a save, so that it acts on what is seen. */
export function PostActions({ draft, onChanged }: PostActionsProps) {
  const { keeper, post, state } = draft;
  const [dialog, setDialog] = useState<'publish' | 'link' | null>(null);
  const openSaved = async (which: 'publish' | 'link'): Promise<void> => {
    if (await keeper.save()) setDialog(which);
  };
  const isStopped = state.kind === 'conflict';
  return (
    <>
      {post.status === 'PUBLISHED' ? (
        <Button
          disabled={isStopped || !keeper.isDirty}
          loading={state.kind === 'saving'}
          onClick={() => void keeper.save()}
        >
          Update
        </Button>
      ) : (
        <Button disabled={isStopped} onClick={() => void openSaved('publish')}>
          {post.status === 'SCHEDULED' ? 'Schedule …' : 'Publish …'}
        </Button>
      )}
      <PostMenu
        post={post}
        flush={() => keeper.save()}
        onPreviewLink={() => void openSaved('link')}
        onChanged={onChanged}
      />
      <PublishDialog
        post={post}
        isOpen={dialog === 'publish'}
        onClose={() => setDialog(null)}
        onPublished={onChanged}
      />
      <PreviewLinkDialog postId={post.id} isOpen={dialog === 'link'} onClose={() => setDialog(null)} />
    </>
  );
}
