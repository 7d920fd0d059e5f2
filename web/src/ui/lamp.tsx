/** A lamp for a state, told in words, too: by the label, or silent where text beside it does. */
export function Lamp({ state, label }: { state: 'ok' | 'failing' | 'disabled'; label?: string }) {
  return label === undefined ? (
    <span className="lamp" data-s={state} aria-hidden="true" />
  ) : (
    <span className="lamp" data-s={state} role="img" aria-label={label} title={label} />
  )
}
