declare module '@joplin/turndown-plugin-gfm' {
  import type TurndownService from 'turndown';
  /** Tables, task lists, text that is struck through, code with its language. */
  export const gfm: TurndownService.Plugin;
}
