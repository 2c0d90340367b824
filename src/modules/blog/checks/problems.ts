/** What a check can find. ERROR: publishing refuses it. WARNING: readers or search engines will notice. */
export const SEVERITIES = ['ERROR', 'WARNING'] as const;

export const PROBLEM_CODES = [
  'FIELD_MISSING',
  'EXCERPT_MISSING',
  'COVER_WITHOUT_ALT',
  'TITLE_NOT_UNIQUE',
  'TITLE_LONG',
  'IMAGE_WITHOUT_ALT',
  'LINK_WITHOUT_TEXT',
  'LINK_TO_NOWHERE',
  'HEADING_LEVEL_SKIPPED',
  'LEFT_OUT',
  'BODY_NOT_CHECKED',
] as const;

export interface Problem {
  code: (typeof PROBLEM_CODES)[number];
  severity: (typeof SEVERITIES)[number];
  message: string;
  /** Name of the field. */
  path: string;
  /** Line in the body, from 1. */
  line?: number;
}

export const warning = (code: Problem['code'], path: string, message: string, line?: number): Problem => ({
  code,
  severity: 'WARNING',
  message,
  path,
  ...(line === undefined ? {} : { line }),
});
