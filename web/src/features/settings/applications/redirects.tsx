import { m } from '../../../messages/applications.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { FormLine, TextField } from '../../../ui/field.tsx'

const MOST = 10
const LONGEST = 2_048

interface Props {
  uris: readonly string[]
  onChange: (uris: string[]) => void
  /** Where a public application may come back to is wider. */
  isPublic: boolean
}

/** The addresses to come back to, a line each; the server's words stand at the one that they are about. */
export const Redirects = ({ uris, onChange, isPublic }: Props) => (
  <>
    {uris.map((uri, at) => (
      <TextField
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is known by its place alone
        key={at}
        label={at === 0 ? m.redirects : m.redirect(at + 1)}
        name={`redirect_uris[${at}]`}
        value={uri}
        onChange={({ target }) => onChange(uris.with(at, target.value))}
        inputMode="url"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={LONGEST}
        {...(uris.length > 1 && {
          beside: (
            <IconButton
              icon="x"
              label={m.removeRedirect(at + 1)}
              onClick={() => onChange(uris.toSpliced(at, 1))}
            />
          ),
        })}
      />
    ))}
    <FormLine>
      <p className="hint">
        {m.redirectsHint} {isPublic && m.redirectsPublic}
      </p>
      {uris.length < MOST && (
        <p>
          <Button kind="plain" icon="plus" onClick={() => onChange([...uris, ''])}>
            {m.addRedirect}
          </Button>
        </p>
      )}
    </FormLine>
  </>
)
