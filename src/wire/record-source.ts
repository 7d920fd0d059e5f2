import { type Static, StringEnum } from './schema-builders.ts'

/**
 * How a comment or a time entry was created. An open set: clients treat unknown values as "other".
 */
export type RecordSource = Static<typeof RecordSource>
export const RecordSource = StringEnum(['web', 'api', 'app', 'import'], {
  title: 'RecordSource',
  'x-open': true,
  description:
    'How it was created: `web` in the web app, `api` by an API key, `app` by an OAuth application, ' +
    '`import` from a file. More values may be added.',
})
