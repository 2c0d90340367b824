import { Alert, Button, Code, Group, Radio, Stack, Text, Title } from '@mantine/core';
import type { ManagedPost } from '@posthorn/client';
import { structuredPatch, type StructuredPatchHunk } from 'diff';
import { useQuery } from '@tanstack/react-query';
import { posthorn } from '../api/client.ts';
import { useMe } from '../api/session.ts';
import { DiffLines, type Hunk } from '../ui/diff-lines.tsx';
import { TriangleAlert } from '../ui/icons.ts';
import { RelativeTime } from '../ui/relative-time.tsx';
import { differing, FIELD_NAMES, type Fields, fieldsOf } from './fields.ts';
import { MarkdownEditor } from './markdown-editor.tsx';

interface ConflictScreenProps {
  mine: Fields;
  theirs: ManagedPost;
  /** What was made of the two so far; null: they are not being merged. */
  merged: Fields | null;
  onMerge: (change: Partial<Fields>) => void;
  /** The writer decided: this is what the post shall be. */
  onDecide: (fields: Fields) => void;
}

const textOf = (value: Fields[keyof Fields]): string =>
  Array.isArray(value) ? value.join(', ') : typeof value === 'boolean' ? (value ? 'yes' : 'no') : value;

/** What the two versions are called: of one's own, saved in another window, none is somebody else's. */
interface Words {
  mine: string;
  theirs: string;
  takeMine: string;
  takeTheirs: string;
  difference: string;
  beginWithMine: string;
  beginWithTheirs: string;
}

const OF_ANOTHER: Words = {
  mine: 'Mine',
  theirs: 'Theirs',
  takeMine: 'Take mine',
  takeTheirs: 'Take theirs',
  difference: 'From theirs (−) to mine (+)',
  beginWithMine: 'Begin with my text',
  beginWithTheirs: 'Begin with their text',
};

const OF_ONESELF: Words = {
  mine: 'Here',
  theirs: 'Other window',
  takeMine: 'Take what is here',
  takeTheirs: 'Take that of the other window',
  difference: 'From the other window (−) to here (+)',
  beginWithMine: 'Begin with the text here',
  beginWithTheirs: 'Begin with that of the other window',
};

/** Who saved the version in between: it may have been oneself, in another window. Not known, it is somebody else. */
function useSaver({ id, version }: ManagedPost) {
  const { user } = useMe();
  const { data } = useQuery({
    queryKey: ['revisions', id, 'one', version],
    queryFn: ({ signal }) => posthorn.getRevision({ id, number: version }, { signal }),
    // Not known: then it is somebody. The decision does not wait for it.
    staleTime: Number.POSITIVE_INFINITY,
  });
  return {
    isMe: data?.savedBy.id === user.id,
    name: data?.savedBy.name ?? 'Somebody else',
    savedAt: data?.savedAt,
  };
}

/** Somebody else saved while this was written: both are shown, and the writer takes one, or makes one of the two. */
export function ConflictScreen({ mine, theirs, merged, onMerge, onDecide }: ConflictScreenProps) {
  const other = fieldsOf(theirs);
  const names = differing(mine, other);
  const saver = useSaver(theirs);
  const words = saver.isMe ? OF_ONESELF : OF_ANOTHER;
  return (
    <Stack>
      <Who saver={saver} updatedAt={theirs.updatedAt} />
      <Group gap="xs">
        <Button onClick={() => onDecide(mine)}>{words.takeMine}</Button>
        <Button variant="default" onClick={() => onDecide(other)}>
          {words.takeTheirs}
        </Button>
        {!merged && (
          <Button variant="default" onClick={() => onMerge({})}>
            Merge by hand
          </Button>
        )}
      </Group>
      {merged ? (
        <Merge {...{ mine, merged, names, words, onMerge, onDecide }} theirs={other} />
      ) : (
        names.map((name) => <Difference key={name} name={name} mine={mine} theirs={other} words={words} />)
      )}
    </Stack>
  );
}

function Who({ saver: { isMe, name, savedAt }, updatedAt }: { saver: ReturnType<typeof useSaver>; updatedAt: string }) {
  return (
    <Alert
      color="orange"
      icon={<TriangleAlert aria-hidden />}
      title={isMe ? 'You changed this post in another window' : `${name} changed this post`}
      role="alert"
    >
      That was saved <RelativeTime at={savedAt ?? updatedAt} />, while you were writing here. Your changes are not lost;
      decide what the post shall be. What only the other version changed stays. That version stays in the history of the
      post, and what you do not take of yours in this browser, which offers it to you afterwards.
    </Alert>
  );
}

interface DifferenceProps {
  name: keyof Fields;
  mine: Fields;
  theirs: Fields;
  words: Words;
}

function Difference({ name, mine, theirs, words }: DifferenceProps) {
  return (
    <section>
      <Title order={2} size="h4" mb={4}>
        {FIELD_NAMES[name]}
      </Title>
      {name === 'body' ? (
        <BodyDifference mine={mine.body} theirs={theirs.body} words={words} />
      ) : (
        <Stack gap={2}>
          <Text size="sm">
            {words.mine}: <Code>{textOf(mine[name]) || '–'}</Code>
          </Text>
          <Text size="sm">
            {words.theirs}: <Code>{textOf(theirs[name]) || '–'}</Code>
          </Text>
        </Stack>
      )}
    </section>
  );
}

/** As the API gives them: without the lines that begin with a backslash and tell of a missing line break. */
const hunkOf = (hunk: StructuredPatchHunk): Hunk => ({
  fromLine: hunk.oldStart,
  toLine: hunk.newStart,
  lines: hunk.lines.filter((line) => !line.startsWith('\\')),
});

function BodyDifference({ mine, theirs, words }: { mine: string; theirs: string; words: Words }) {
  const { hunks } = structuredPatch('', '', theirs, mine, '', '', { context: 2 });
  return (
    <>
      <Text size="sm" c="dimmed" mb={4}>
        {words.difference}
      </Text>
      <DiffLines label="Differences of the text" hunks={hunks.map(hunkOf)} />
    </>
  );
}

interface MergeProps {
  mine: Fields;
  theirs: Fields;
  merged: Fields;
  names: readonly (keyof Fields)[];
  words: Words;
  onMerge: (change: Partial<Fields>) => void;
  onDecide: (fields: Fields) => void;
}

function Merge({ mine, theirs, merged, names, words, onMerge, onDecide }: MergeProps) {
  const choose = (name: keyof Fields, from: Fields): void => onMerge({ [name]: from[name] });
  return (
    <Stack>
      {names.map((name) =>
        name === 'body' ? (
          <section key={name}>
            <BodyDifference mine={mine.body} theirs={theirs.body} words={words} />
            <Group my="xs" gap="xs">
              <Button size="xs" variant="default" onClick={() => choose('body', mine)}>
                {words.beginWithMine}
              </Button>
              <Button size="xs" variant="default" onClick={() => choose('body', theirs)}>
                {words.beginWithTheirs}
              </Button>
            </Group>
            <MarkdownEditor label="Merged text" value={merged.body} onChange={(body) => onMerge({ body })} />
          </section>
        ) : (
          <Radio.Group
            key={name}
            label={FIELD_NAMES[name]}
            value={merged[name] === theirs[name] ? 'theirs' : 'mine'}
            onChange={(side) => choose(name, side === 'mine' ? mine : theirs)}
          >
            <Stack gap={4} mt={4} style={{ overflowWrap: 'anywhere' }}>
              <Radio value="mine" label={`${words.mine}: ${textOf(mine[name]) || '–'}`} />
              <Radio value="theirs" label={`${words.theirs}: ${textOf(theirs[name]) || '–'}`} />
            </Stack>
          </Radio.Group>
        ),
      )}
      <Group>
        <Button onClick={() => onDecide(merged)}>Save the merged post</Button>
      </Group>
    </Stack>
  );
}
