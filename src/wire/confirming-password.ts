import { Type } from 'typebox'
import { Optional } from './schema-builders.ts'

/** The password that confirms who asks for something that outlives the session. */
export const ConfirmingPassword = Optional(
  Type.String({
    format: 'raw',
    maxLength: 1_024,
    description: 'Required if you signed in more than 15 minutes ago.',
  }),
)
