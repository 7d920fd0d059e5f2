import { useState } from 'react'
import type {
  Application,
  createApplication,
  updateApplication,
} from '#resources/applications/internal.ts'
import type { Reply } from '#wire/endpoint.ts'
import type { Scope } from '#wire/scopes.ts'
import { toast } from '../../../data/toasts.ts'
import { call } from '../../../lib/call.ts'
import { m } from '../../../messages/applications.ts'
import { m as common } from '../../../messages/settings.ts'
import { openDialog } from '../../../ui/dialog.tsx'
import { Check, FormLine, TextField } from '../../../ui/field.tsx'
import { Form, Submit } from '../../../ui/form.tsx'
import { FormActs } from '../../../ui/form-acts.tsx'
import { GroupLine } from '../../../ui/group-line.tsx'
import { ScopeGrid } from '../keys/scope-grid.tsx'
import { replace } from './queries.ts'
import { Redirects } from './redirects.tsx'

/** An application as it was just saved; a new confidential one with its secret. */
export type Saved = Reply<typeof createApplication>

/** Opens the form for a new application, or for one that is there; `onSaved` gets what was made of it. */
export function openApplicationForm(
  application?: Application,
  onSaved?: (saved: Application, secret: string | undefined) => void,
): void {
  openDialog({
    title: application ? m.formEdit(application.name) : m.formNew,
    wide: true,
    body: (close) => (
      <ApplicationForm
        {...(application && { application })}
        onCancel={close}
        onSaved={({ client_secret, ...saved }) => {
          close()
          replace(saved)
          onSaved?.(saved, client_secret)
          if (client_secret === undefined) {
            toast({ text: application ? m.saved : m.made(saved.name) })
          }
        }}
      />
    ),
  })
}

interface Props {
  application?: Application
  onCancel: () => void
  onSaved: (saved: Saved) => void
}

const KINDS = ['confidential', 'public'] as const
const DISTRIBUTIONS = ['private', 'public'] as const

function ApplicationForm({ application, onCancel, onSaved }: Props) {
  const [type, setType] = useState(application?.type ?? 'confidential')
  const [distribution, setDistribution] = useState(application?.distribution ?? 'private')
  const [uris, setUris] = useState<string[]>(application?.redirect_uris ?? [''])
  const [scopes, setScopes] = useState<Scope[]>(application?.scopes ?? ['tasks:read'])
  const send = async ({ name = '', description = '', homepage_url = '' }) => {
    // An empty line asks for nothing; one alone is told to be filled.
    const given = uris.map((uri) => uri.trim()).filter((uri) => uri !== '')
    const redirect_uris = given.length > 0 ? given : ['']
    setUris(redirect_uris)
    const body = {
      ...{ name, scopes, distribution, redirect_uris },
      description: description.trim() || null,
      homepage_url: homepage_url.trim() || null,
    }
    onSaved(
      application
        ? await call<typeof updateApplication>('PATCH /internal/apps/:id', {
            params: { id: application.id },
            body,
          })
        : await call<typeof createApplication>('POST /internal/apps', { body: { ...body, type } }),
    )
  }
  return (
    <Form label={application ? m.formEdit(application.name) : m.formNew} onSubmit={send}>
      <TextField
        label={m.name}
        name="name"
        defaultValue={application?.name ?? ''}
        hint={m.nameHint}
        autoComplete="off"
        maxLength={100}
        required
      />
      <TextField
        label={m.about}
        name="description"
        defaultValue={application?.description ?? ''}
        hint={m.aboutHint}
        maxLength={2000}
      />
      <TextField
        label={m.homepage}
        name="homepage_url"
        inputMode="url"
        defaultValue={application?.homepage_url ?? ''}
        hint={m.homepageHint}
        autoComplete="off"
        spellCheck={false}
        maxLength={2048}
      />
      {application ? (
        <FormLine>
          <p className="hint">{m.kindFixed(m.kinds[type])}</p>
        </FormLine>
      ) : (
        <Choice
          label={m.kind}
          name="type"
          all={KINDS}
          words={m.kindChoices}
          hints={m.kindHints}
          chosen={type}
          onChange={setType}
        />
      )}
      <Redirects uris={uris} onChange={setUris} isPublic={type === 'public'} />
      <Choice
        label={m.distribution}
        name="distribution"
        all={DISTRIBUTIONS}
        words={m.distributions}
        chosen={distribution}
        onChange={setDistribution}
      />
      <ScopeGrid chosen={scopes} onChange={setScopes} hint={m.scopesHint} />
      <FormActs onCancel={onCancel}>
        <Submit {...(scopes.length === 0 && { reason: m.noScope })}>
          {application ? common.save : m.createDo}
        </Submit>
      </FormActs>
    </Form>
  )
}

interface ChoiceProps<T extends string> {
  label: string
  name: string
  all: readonly T[]
  words: Record<T, string>
  hints?: Record<T, string>
  chosen: T
  onChange: (chosen: T) => void
}

function Choice<T extends string>(props: ChoiceProps<T>) {
  const { label, name, all, words, hints, chosen, onChange } = props
  return (
    <GroupLine label={label} radio>
      {all.map((one) => (
        <Check
          key={one}
          radio
          name={name}
          value={one}
          checked={chosen === one}
          onChange={() => onChange(one)}
          {...(hints && { hint: hints[one] })}
        >
          {words[one]}
        </Check>
      ))}
    </GroupLine>
  )
}
