import { Id, type Static, StringEnum, Timestamp } from './schema-builders.ts'

/** Fields that records of many kinds have with the same meaning. */
export const CREATED_BY_ID = Id('usr', { description: 'The person who created it.' })
export const CREATED_AT = Timestamp({ description: 'When it was created.' })
export const UPDATED_AT = Timestamp({ description: 'When it was last changed.' })

/** The page of a task or a project. */
export const WEB_APP_URL = 'The address of its page in the web app.'
export const AVATAR_URL = 'The address of the profile picture. Null if there is none.'

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
