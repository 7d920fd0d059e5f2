import { type App, basicOf } from '../support/oauth.ts'
import type { Fields } from './oauth.ts'

/** The applications that are confused with one another. */
export interface Clients {
  confidential: App
  another: App
  open: App
  /** What the secret of the first was before it was rotated. */
  rotated: string
}

/** How a client says who it is: headers, and fields of the form; `in`, or how it is answered instead. */
export type Way = readonly [
  name: string,
  how: { authorization?: string; fields?: Fields },
  outcome: string,
]

const OUT = '401 invalid_client'
const MALFORMED = '400 invalid_request'

const base64 = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
const percent = (text: string) =>
  [...text].map((sign) => `%${sign.charCodeAt(0).toString(16)}`).join('')

export function ways({ confidential, another, open, rotated }: Clients): Way[] {
  const { id, secret = '' } = confidential
  const right = basicOf(id, secret)
  const as = (name: string, value: string) => [name, value] as const
  const me = as('client_id', id)
  const key = as('client_secret', secret)
  const header = (name: string, authorization: string, outcome = OUT): Way => [
    name,
    { authorization },
    outcome,
  ]
  const form = (name: string, fields: Fields, outcome = OUT): Way => [name, { fields }, outcome]
  return [
    header('basic', right, 'in'),
    header('basic in lower case', right.replace('Basic', 'basic'), 'in'),
    header('basic, percent-encoded', base64(`${percent(id)}:${percent(secret)}`), 'in'),
    form('post', [me, key], 'in'),
    ['basic, and the same client_id', { authorization: right, fields: [me] }, 'in'],
    form('none, of a public one', [as('client_id', open.id)], 'in'),
    ['basic and post', { authorization: right, fields: [me, key] }, MALFORMED],
    [
      'basic, and the client_id of another',
      { authorization: right, fields: [as('client_id', another.id)] },
      MALFORMED,
    ],
    [
      'basic, and the client_id of a public one',
      { authorization: right, fields: [as('client_id', open.id)] },
      MALFORMED,
    ],
    form('none, of a confidential one', [me]),
    form('post without a secret', [me, as('client_secret', '')]),
    form('post with a wrong secret', [me, as('client_secret', `${secret.slice(0, -1)}!`)]),
    form('post with the secret of another', [me, as('client_secret', another.secret ?? '')]),
    form('post with the secret from before', [me, as('client_secret', rotated)]),
    form('post with another alphabet', [me, as('client_secret', secret.toLowerCase())]),
    form('post with what the library is told', [me, as('client_secret', 'hashed')]),
    form('post with a very long secret', [me, as('client_secret', 'x'.repeat(8_192))]),
    form('post with U+0000', [me, as('client_secret', `${secret}\0`)]),
    form('client_id twice', [me, me, key], MALFORMED),
    form('client_id twice, one of another', [me, as('client_id', another.id), key], MALFORMED),
    form('client_secret twice', [me, key, key], MALFORMED),
    form('a public one with a secret', [as('client_id', open.id), key]),
    form('an unknown one', [as('client_id', 'app_01k2m3n4p5q6r7s8t9v0w1x2y3'), key]),
    form('an id with U+0000', [as('client_id', `${id}\0`), key]),
    form('an id in upper case', [as('client_id', id.toUpperCase()), key]),
    form('nobody', []),
    form('an empty client_id', [as('client_id', '')]),
    form('an assertion', [
      me,
      as('client_assertion_type', 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'),
      as('client_assertion', `e30.${Buffer.from(`{"sub":"${id}"}`).toString('base64url')}.`),
    ]),
    header('basic with a wrong secret', basicOf(id, `${secret}x`)),
    header('basic with the secret of another', basicOf(id, another.secret ?? '')),
    header('basic with the secret from before', basicOf(id, rotated)),
    header('basic of a public one', basicOf(open.id, secret)),
    header('basic of a public one without a secret', base64(`${open.id}:`)),
    header('basic without a secret', base64(`${id}:`)),
    header('basic without a colon', base64(id)),
    header('basic without an id', base64(`:${secret}`)),
    header('basic, wrongly encoded', base64(`${id}:%zz${secret}`)),
    header('basic, U+0000', base64(`${id}:${secret}%00`)),
    header('basic, no base64', 'Basic !!!'),
    header('basic, nothing', 'Basic'),
    header('basic, a space more', right.replace(' ', '  ')),
    header('an empty header', ''),
    header('bearer', `Bearer ${secret}`),
    header('digest', 'Digest username="x"'),
    ['bearer, and a right form', { authorization: 'Bearer x', fields: [me, key] }, OUT],
    [
      'bearer, and a public one',
      { authorization: 'Bearer x', fields: [as('client_id', open.id)] },
      OUT,
    ],
  ]
}
