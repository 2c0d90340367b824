import { Box, Group, SegmentedControl, SimpleGrid } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { getRouteApi } from '@tanstack/react-router';
import { MarkdownEditor } from './markdown-editor.tsx';
import { PreviewPane } from './preview-pane.tsx';
import type { EditorSearch } from './routes.ts';

const route = getRouteApi('/shell/posts/$postId');

const VIEWS = [
  { value: 'write', label: 'Write' },
  { value: 'split', label: 'Both' },
  { value: 'preview', label: 'Preview' },
] as const;

/** The text, its preview, or both side by side where there is room. */
export function TextTab({ body, onChange }: { body: string; onChange: (body: string) => void }) {
  const { view } = route.useSearch();
  const navigate = route.useNavigate();
  const isWide = useMediaQuery('(min-width: 75em)', true);
  const shown = view ?? (isWide ? 'split' : 'write');
  return (
    <>
      <Group justify="flex-end" mb="xs">
        <SegmentedControl
          size="xs"
          aria-label="View"
          data={[...VIEWS]}
          value={shown}
          onChange={(value) =>
            void navigate({ search: (s) => ({ ...s, view: value as EditorSearch['view'] }), replace: true })
          }
        />
      </Group>
      <SimpleGrid cols={shown === 'split' ? { base: 1, md: 2 } : 1}>
        <Box display={shown === 'preview' ? 'none' : undefined} miw={0}>
          <MarkdownEditor label="Text" value={body} onChange={onChange} />
        </Box>
        {shown !== 'write' && <PreviewPane body={body} />}
      </SimpleGrid>
    </>
  );
}
