/** Whether npm (or what does as npm does) runs this program as `npm start` of this package. What a program started inside of it inherits names another one. */
export const isStartedByNpm = (env: Readonly<Record<string, string | undefined>> = process.env): boolean =>
  env.npm_lifecycle_event === 'start' && env.npm_package_name === 'posthorn';
