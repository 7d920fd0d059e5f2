import { Type } from 'typebox'
import { endpoint } from '#wire/endpoint.ts'
import {
  Id,
  List,
  Nullable,
  Optional,
  type Static,
  StrictObject,
  StringEnum,
} from '#wire/schema-builders.ts'
import { SCOPES } from '#wire/scopes.ts'
import { Supervision } from '#wire/supervision.ts'

const SESSION = { scope: 'session', limit: 'session', tag: 'Consent' } as const
const params = StrictObject({ uid: Type.String({ minLength: 1, maxLength: 64 }) })

/** An authorization request, as the consent page shows it to the signed-in user (docs/spec/api.md#keys-applications-consent). */
export type Interaction = Static<typeof Interaction>
export const Interaction = Type.Object(
  {
    application: StrictObject({
      id: Id('app'),
      name: Type.String(),
      description: Nullable(Type.String()),
      homepage_url: Nullable(Type.String()),
    }),
    scopes: List(StrictObject({ name: StringEnum(SCOPES), description: Type.String() })),
    workspaces: List(StrictObject({ id: Id('wsp'), name: Type.String() }), {
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
  summary: 'Get an authorization request',
  description: 'Known only to the browser, and the session, in which the request began.',
  params,
  reply: Interaction,
})

export const decideInteraction = endpoint({
  ...SESSION,
  limit: 'access',
  method: 'POST',
  path: '/internal/oauth/interactions/:uid',
  grantsLastingAccess: 'checked_by_action',
  summary: 'Allow or deny an authorization request',
  params,
  body: StrictObject({
    decision: StringEnum(['allow', 'deny']),
    workspace_id: Optional(Id('wsp', { description: 'For which it is allowed.' })),
    supervision: Optional(
      Nullable(Supervision, {
        description:
          'What the application may do only after you have looked at it. Absent: as when you last allowed it.',
      }),
    ),
  }),
  reply: StrictObject({
    redirect_to: Type.String({ description: 'What the browser opens next.' }),
  }),
})
