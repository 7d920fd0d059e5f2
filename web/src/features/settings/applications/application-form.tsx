import { useState } from 'react'
import type {
  Application,
  createApplication,
  updateApplication,
} from '#resources/applications/internal.ts'
import type { EndpointReply } from '#wire/endpoint.ts'
import type { Scope } from '#wire/scopes.ts'
import { showToast } from '../../../data/app/toasts.ts'
import { requestEndpoint } from '../../../lib/http/request-endpoint.ts'
import { applicationMessages } from '../../../messages/settings/applications.ts'
import { settingsMessages } from '../../../messages/settings/settings.ts'
import { Button, IconButton } from '../../../ui/form/button.tsx'
import { FieldGroup } from '../../../ui/form/field-group.tsx'
import { Form, SubmitButton } from '../../../ui/form/form.tsx'
import { FormActions } from '../../../ui/form/form-actions.tsx'
import { CheckField, FormLine, TextField } from '../../../ui/form/form-field.tsx'
import { pickChangedFields } from '../../../ui/form/use-record-edits.ts'
import { openDialog } from '../../../ui/overlays/dialog.tsx'
import { ScopeGrid } from '../api-keys/scope-grid.tsx'
import { cacheApplication } from './application-queries.ts'

/** A saved application; a new confidential one has its secret. */
type SavedApplication = EndpointReply<typeof createApplication>

/** Opens the form for a new or an existing application; `onSaved` receives the result. */
export function openApplicationForm(
  application?: Application,
  onSaved?: (saved: Application, secret: string | undefined) => void,
): void {
  openDialog({
    title: application
      ? applicationMessages.formEdit(application.name)
      : applicationMessages.formNew,
    wide: true,
    body: (close) => (
      <ApplicationForm
        {...(application && { application })}
        onCancel={close}
        onSaved={({ client_secret, ...saved }) => {
          close()
          cacheApplication(saved)
          onSaved?.(saved, client_secret)
          if (client_secret === undefined) {
            showToast({
              text: application ? applicationMessages.saved : applicationMessages.made(saved.name),
            })
          }
        }}
      />
    ),
  })
}

interface ApplicationFormProps {
  application?: Application
  onCancel: () => void
  onSaved: (saved: SavedApplication) => void
}

const CLIENT_TYPES = ['confidential', 'public'] as const
const DISTRIBUTIONS = ['private', 'public'] as const

function ApplicationForm({ application, onCancel, onSaved }: ApplicationFormProps) {
  const [type, setType] = useState(application?.type ?? 'confidential')
  const [distribution, setDistribution] = useState(application?.distribution ?? 'private')
  const [uris, setUris] = useState<string[]>(application?.redirect_uris ?? [''])
  const [scopes, setScopes] = useState<Scope[]>(application?.scopes ?? ['tasks:read'])
  const send = async ({ name = '', description = '', homepage_url = '' }) => {
    // Empty lines are dropped. If all are empty, one is sent, so that the server reports it.
    const filledUris = uris.map((uri) => uri.trim()).filter((uri) => uri !== '')
    const redirect_uris = filledUris.length > 0 ? filledUris : ['']
    setUris(redirect_uris)
    const body = {
      name,
      scopes,
      distribution,
      redirect_uris,
      description: description.trim() || null,
      homepage_url: homepage_url.trim() || null,
    }
    onSaved(
      application
        ? await requestEndpoint<typeof updateApplication>('PATCH /internal/apps/:id', {
            params: { id: application.id },
            body: pickChangedFields(application, body),
          })
        : await requestEndpoint<typeof createApplication>('POST /internal/apps', {
            body: { ...body, type },
          }),
    )
  }
  return (
    <Form
      guard="typed"
      label={
        application ? applicationMessages.formEdit(application.name) : applicationMessages.formNew
      }
      onSubmit={send}
    >
      <TextField
        label={applicationMessages.name}
        name="name"
        defaultValue={application?.name ?? ''}
        hint={applicationMessages.nameHint}
        autoComplete="off"
        maxLength={100}
        required
      />
      <TextField
        label={applicationMessages.about}
        name="description"
        defaultValue={application?.description ?? ''}
        hint={applicationMessages.aboutHint}
        maxLength={2000}
      />
      <TextField
        label={applicationMessages.homepage}
        name="homepage_url"
        inputMode="url"
        defaultValue={application?.homepage_url ?? ''}
        hint={applicationMessages.homepageHint}
        autoComplete="off"
        spellCheck={false}
        maxLength={2048}
      />
      {application ? (
        <FormLine>
          <p className="hint">{applicationMessages.kindFixed(applicationMessages.kinds[type])}</p>
        </FormLine>
      ) : (
        <RadioChoice
          label={applicationMessages.kind}
          name="type"
          all={CLIENT_TYPES}
          words={applicationMessages.kindChoices}
          hints={applicationMessages.kindHints}
          chosen={type}
          onChange={setType}
        />
      )}
      <RedirectUriFields uris={uris} onChange={setUris} isPublic={type === 'public'} />
      <RadioChoice
        label={applicationMessages.distribution}
        name="distribution"
        all={DISTRIBUTIONS}
        words={applicationMessages.distributions}
        chosen={distribution}
        onChange={setDistribution}
      />
      <ScopeGrid chosen={scopes} onChange={setScopes} hint={applicationMessages.scopesHint} />
      <FormActions onCancel={onCancel}>
        <SubmitButton {...(scopes.length === 0 && { reason: applicationMessages.noScope })}>
          {application ? settingsMessages.save : applicationMessages.createDo}
        </SubmitButton>
      </FormActions>
    </Form>
  )
}

interface RadioChoiceProps<T extends string> {
  label: string
  name: string
  all: readonly T[]
  words: Record<T, string>
  hints?: Record<T, string>
  chosen: T
  onChange: (chosen: T) => void
}

function RadioChoice<T extends string>(props: RadioChoiceProps<T>) {
  const { label, name, all, words, hints, chosen, onChange } = props
  return (
    <FieldGroup label={label} radio>
      {all.map((one) => (
        <CheckField
          key={one}
          radio
          name={name}
          value={one}
          checked={chosen === one}
          onChange={() => onChange(one)}
          {...(hints && { hint: hints[one] })}
        >
          {words[one]}
        </CheckField>
      ))}
    </FieldGroup>
  )
}

const MAX_REDIRECT_URIS = 10
const MAX_URI_LENGTH = 2_048

interface RedirectUriFieldsProps {
  uris: readonly string[]
  onChange: (uris: string[]) => void
  /** Public applications may use loopback addresses and private schemes, too: the hint says so. */
  isPublic: boolean
}

/** The redirect URIs, one field each; an error of the server appears at the field it concerns. */
const RedirectUriFields = ({ uris, onChange, isPublic }: RedirectUriFieldsProps) => (
  <>
    {uris.map((uri, index) => (
      <TextField
        // biome-ignore lint/suspicious/noArrayIndexKey: fields have no identity but their position
        key={index}
        label={
          index === 0 ? applicationMessages.redirects : applicationMessages.redirect(index + 1)
        }
        name={`redirect_uris[${index}]`}
        value={uri}
        onChange={({ target }) => onChange(uris.with(index, target.value))}
        inputMode="url"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={MAX_URI_LENGTH}
        {...(uris.length > 1 && {
          beside: (
            <IconButton
              icon="x"
              label={applicationMessages.removeRedirect(index + 1)}
              onClick={() => onChange(uris.toSpliced(index, 1))}
            />
          ),
        })}
      />
    ))}
    <FormLine>
      <p className="hint">
        {applicationMessages.redirectsHint} {isPublic && applicationMessages.redirectsPublic}
      </p>
      {uris.length < MAX_REDIRECT_URIS && (
        <p>
          <Button kind="plain" icon="plus" onClick={() => onChange([...uris, ''])}>
            {applicationMessages.addRedirect}
          </Button>
        </p>
      )}
    </FormLine>
  </>
)
