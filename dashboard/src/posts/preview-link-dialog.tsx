import { Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { posthorn } from '../api/client.ts';
import { notifyDone } from '../api/notices.tsx';
import type { Question } from '../ui/confirm.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { useQuestionOver } from '../ui/question-over.ts';
import { RelativeTime } from '../ui/relative-time.tsx';
import { SteadyButton } from '../ui/steady-button.tsx';

const LIFETIMES = [
  { value: '3600', label: 'an hour' },
  { value: '86400', label: 'a day' },
  { value: '604800', label: 'a week' },
  { value: '2592000', label: '30 days' },
];

/** A link by which somebody without an account reads the post as it is; and the end of all such links. */
export function PreviewLinkDialog({
  postId,
  isStale,
  isOpen,
  onClose,
}: {
  postId: string;
  /** Something is not saved, so that the link does not show it. */
  isStale: boolean;
  isOpen: boolean;
  onClose: () => void;
}) {
  const { isAsking, ask } = useQuestionOver();
  return (
    <Modal opened={isOpen} onClose={onClose} title="Preview link" closeOnEscape={!isAsking}>
      {isStale && (
        <Text size="sm" mb="sm">
          The link shows what is saved. Your changes that are not public yet are not in it.
        </Text>
      )}
      <PreviewLink postId={postId} ask={ask} />
    </Modal>
  );
}

/** For people; the post as JSON only where there is no site. */
const addressOf = ({ pageUrl, url }: { pageUrl: string | null; url: string }): string => pageUrl ?? url;

const END: Question = {
  title: 'End all links of this post?',
  text: 'Whoever was given one cannot read the post by it any more. Nothing brings it back; you can make another one.',
  action: 'End all links',
};

function PreviewLink({ postId, ask }: { postId: string; ask: (question: Question) => Promise<boolean> }) {
  const [seconds, setSeconds] = useState('604800');
  const create = useMutation({
    mutationFn: () => posthorn.createPreviewLink({ id: postId, body: { expiresInSeconds: Number(seconds) } }),
  });
  const end = useMutation({
    mutationFn: () => posthorn.endPreviewLinks({ id: postId }),
    onSuccess() {
      create.reset();
      notifyDone('No preview link of this post works any more.');
    },
  });
  const askEnd = async (): Promise<void> => {
    if (await ask(END)) end.mutate();
  };
  return (
    <Stack>
      <Text size="sm">Whoever has the link reads the post as it is then, without signing in.</Text>
      <Group align="flex-end">
        <Select
          label="Works for"
          data={LIFETIMES}
          value={seconds}
          allowDeselect={false}
          onChange={(value) => setSeconds(value ?? seconds)}
        />
        <SteadyButton isOff={create.isPending} onClick={() => create.mutate()}>
          Make a link
        </SteadyButton>
      </Group>
      {create.data && (
        <Stack gap={4}>
          <TextInput
            label="The link"
            readOnly
            value={addressOf(create.data)}
            onFocus={(event) => event.target.select()}
          />
          <Group>
            <CopyButton wide value={addressOf(create.data)} label="Copy the link" />
            <Text size="xs" c="dimmed">
              ends <RelativeTime at={create.data.expiresAt} />
            </Text>
          </Group>
        </Stack>
      )}
      <Group justify="flex-end">
        <SteadyButton variant="subtle" color="red" isOff={end.isPending} onClick={() => void askEnd()}>
          End all links of this post
        </SteadyButton>
      </Group>
    </Stack>
  );
}
