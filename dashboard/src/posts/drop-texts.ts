import type { EditorView } from '@codemirror/view';
import { notifyFault } from '../api/notices.tsx';
import { textOf } from './dropped.ts';

async function insert(view: EditorView, files: readonly File[], place: { x: number; y: number }): Promise<void> {
  const read = await Promise.all(
    files.map(async (file) => ({ name: file.name, text: textOf(new Uint8Array(await file.arrayBuffer())) })),
  );
  const unread = read.flatMap(({ name, text }) => (text === null ? [name] : []));
  if (unread.length > 0) {
    notifyFault('The encoding is not known', `Save it as UTF-8 and drop it again: ${unread.join(', ')}`);
    return;
  }
  // Where the pointer is now: the text may have changed while they were read.
  const from = view.posAtCoords(place, false);
  const text = view.state.toText(read.map((one) => one.text).join(view.state.lineBreak));
  view.focus();
  view.dispatch({
    changes: { from, insert: text },
    selection: { anchor: from, head: from + text.length },
    userEvent: 'input.drop',
  });
}

/** Puts files that are texts where they are dropped. By itself the editor would take each for UTF-8, and letters of others would be lost. */
export function dropTexts(event: DragEvent, view: EditorView): boolean {
  const files = Array.from(event.dataTransfer?.files ?? []);
  if (files.length === 0) return false;
  event.preventDefault();
  insert(view, files, { x: event.clientX, y: event.clientY }).catch((error: unknown) =>
    notifyFault('The file could not be read', error instanceof Error ? error.message : String(error)),
  );
  return true;
}
