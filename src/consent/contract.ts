import { Type } from 'typebox'
import { endpoint } from '#wire/endpoint.ts'
import { Fields, Id, List, Nullable, OneOf, Optional, type Static } from '#wire/schema.ts'
import { SCOPES } from '#wire/scopes.ts'

const SESSION = { scope: 'session', limit: 'session', tag: 'Consent' } as const
const params = Fields({ uid: Type.String({ minLength: 1, maxLength: 64 }) })

/** What an application asks of the person who is signed in (contract 9.4). */
export type Interaction = Static<typeof Interaction>
export const Interaction = Type.Object(
  {
    application: Fields({
      id: Id('app'),
      name: Type.String(),
      description: Nullable(Type.String()),
      homepage_url: Nullable(Type.String()),
    }),
    scopes: List(Fields({ name: OneOf(SCOPES), description: Type.String() })),
    workspaces: List(Fields({ id: Id('wsp'), name: Type.String() }), {
      description: 'Those of the person for which the application may be allowed anything.',
    }),
    redirect_uri: Type.String({ description: 'Where the browser goes after the decision.' }),
    again_url: Type.String({ description: 'Begins the same request anew, with a new sign-in.' }),
  },
  { title: 'Interaction', additionalProperties: false },
)

export const getInteraction = endpoint({
  ...SESSION,
  method: 'GET',
  path: '/internal/oauth/interactions/:uid',
  summary: 'Get what an application asks',
  description: 'Known only to the browser, and the session, in which the request began.',
  params,
  reply: Interaction,
})

export const decide = endpoint({
  ...SESSION,
  method: 'POST',
  path: '/internal/oauth/interactions/:uid',
  summary: 'Allow or deny what an application asks, once',
  params,
  body: Fields({
    decision: OneOf(['allow', 'deny']),
    workspace_id: Optional(Id('wsp', { description: 'For which it is allowed.' })),
  }),
  reply: Fields({ redirect_to: Type.String({ description: 'What the browser opens next.' }) }),
})
