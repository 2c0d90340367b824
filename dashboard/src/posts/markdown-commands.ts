import type { ChangeSpec, EditorState } from '@codemirror/state';
import { EditorSelection } from '@codemirror/state';
import type { Command, EditorView } from '@codemirror/view';

/** Puts marks around each selection, or takes them away where they are. */
export const wrap =
  (mark: string): Command =>
  (view) => {
    const { state } = view;
    const size = mark.length;
    const change = state.changeByRange(({ from, to }) => {
      const isMarked = state.sliceDoc(from - size, from) === mark && state.sliceDoc(to, to + size) === mark;
      if (isMarked) {
        const changes: ChangeSpec = [
          { from: from - size, to: from },
          { from: to, to: to + size },
        ];
        return { changes, range: EditorSelection.range(from - size, to - size) };
      }
      const changes: ChangeSpec = [
        { from, insert: mark },
        { from: to, insert: mark },
      ];
      return { changes, range: EditorSelection.range(from + size, to + size) };
    });
    view.dispatch(state.update(change, { scrollIntoView: true, userEvent: 'input' }));
    view.focus();
    return true;
  };

function selectedLines(state: EditorState): { from: number; text: string }[] {
  const lines = new Map<number, { from: number; text: string }>();
  for (const { from, to } of state.selection.ranges) {
    for (let at = from; ; ) {
      const line = state.doc.lineAt(at);
      lines.set(line.number, line);
      if (line.to >= to) break;
      at = line.to + 1;
    }
  }
  return [...lines.values()];
}

/** What a line may begin with already. */
const PREFIX = /^(#{1,6} |[-*+] \[[ x]\] |[-*+] |\d+[.)] |> )/;

/** Begins the selected lines with a prefix in place of the one they have; takes it away where all of them have it. */
export const prefix =
  (make: (index: number) => string): Command =>
  (view) => {
    const lines = selectedLines(view.state);
    const has = lines.every(({ text }, i) => text.startsWith(make(i)));
    const changes = lines.map(({ from, text }, i) => {
      const old = PREFIX.exec(text)?.[0].length ?? 0;
      return { from, to: from + old, insert: has ? '' : make(i) };
    });
    view.dispatch({ changes, scrollIntoView: true, userEvent: 'input' });
    view.focus();
    return true;
  };

/** Puts two texts in place of each selection, with the cursor between them. */
function insert(view: EditorView, make: (selected: string) => readonly [before: string, after: string]): boolean {
  const { state } = view;
  const change = state.changeByRange(({ from, to }) => {
    const [before, after] = make(state.sliceDoc(from, to));
    return { changes: { from, to, insert: before + after }, range: EditorSelection.cursor(from + before.length) };
  });
  view.dispatch(state.update(change, { scrollIntoView: true, userEvent: 'input' }));
  view.focus();
  return true;
}

export const link: Command = (view) =>
  insert(view, (text) => (/^https?:\S+$/.test(text) ? ['[', `](${text})`] : [`[${text}](`, ')']));
export const image: Command = (view) => insert(view, (text) => [`![${text}`, '](https://)']);
export const codeBlock: Command = (view) => insert(view, (text) => ['\n```', `\n${text}\n\`\`\`\n`]);
export const table: Command = (view) => insert(view, () => ['\n| ', '|   |\n| --- | --- |\n|   |   |\n']);
