import { Button } from '@mantine/core';
import { useState } from 'react';
import { notifyFault } from '../api/notices.tsx';
import { PostMenu } from './post-menu.tsx';
import { PreviewLinkDialog } from './preview-link-dialog.tsx';
import { PublishDialog } from './publish-dialog.tsx';
import { faultOfSave } from './save-indicator.tsx';
import type { UsedDraft } from './use-draft.ts';

/**
 * What can be done with a post in its state. Each begins with a save, so that it acts on what is seen. Only what is public
 * already is changed by nothing but "Update": the rest acts on what readers see, and what is not saved stays so.
 */
export function PostActions({ draft }: { draft: UsedDraft }) {
  const { keeper, post, state, act } = draft;
  const [dialog, setDialog] = useState<'publish' | 'link' | null>(null);
  const open = async (which: 'publish' | 'link'): Promise<void> => {
    if (await keeper.flush()) return setDialog(which);
    const fault = faultOfSave(keeper.snapshot().state);
    if (fault !== undefined) notifyFault('It has to be saved first', fault);
  };
  const isPublic = post.status === 'PUBLISHED';
  const isOff = state.kind === 'conflict' || (isPublic && (!keeper.isDirty || state.kind === 'saving'));
  const press = (): void => {
    if (!isOff) void (isPublic ? keeper.save() : open('publish'));
  };
  return (
    <>
      {/* One button that is never disabled as such: it keeps the focus when the post is published, or updated. */}
      <Button data-disabled={isOff || undefined} aria-disabled={isOff} onClick={press}>
        {isPublic ? 'Update' : post.status === 'SCHEDULED' ? 'Schedule …' : 'Publish …'}
      </Button>
      <PostMenu post={post} flush={() => keeper.flush()} onPreviewLink={() => void open('link')} act={act} />
      <PublishDialog
        post={post}
        isOpen={dialog === 'publish'}
        onClose={() => setDialog((which) => (which === 'publish' ? null : which))}
        act={act}
      />
      <PreviewLinkDialog
        postId={post.id}
        isStale={keeper.isDirty}
        isOpen={dialog === 'link'}
        onClose={() => setDialog(null)}
      />
    </>
  );
}
