import { Id, Timestamp } from './schema-builders.ts'

/** Fields that records of many kinds have with the same meaning. */
export const CREATED_BY_ID = Id('usr', { description: 'The person who created it.' })
export const CREATED_AT = Timestamp({ description: 'When it was created.' })
export const UPDATED_AT = Timestamp({ description: 'When it was last changed.' })

/** The page of a task or a project. */
export const WEB_APP_URL = 'The address of its page in the web app.'
export const AVATAR_URL = 'The address of the profile picture. Null if there is none.'
