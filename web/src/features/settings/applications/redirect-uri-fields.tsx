import { applicationMessages } from '../../../messages/settings/applications.ts'
import { Button, IconButton } from '../../../ui/form/button.tsx'
import { FormLine, TextField } from '../../../ui/form/form-field.tsx'

const MAX_REDIRECT_URIS = 10
const MAX_URI_LENGTH = 2_048

interface RedirectUriFieldsProps {
  uris: readonly string[]
  onChange: (uris: string[]) => void
  /** Public applications may use loopback addresses and private schemes, too: the hint says so. */
  isPublic: boolean
}

/** The redirect URIs, one field each; an error of the server appears at the field it concerns. */
export const RedirectUriFields = ({ uris, onChange, isPublic }: RedirectUriFieldsProps) => (
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
