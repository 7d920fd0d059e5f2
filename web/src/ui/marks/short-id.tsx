const MAX_GUTTER_CHARS = 8

/**
 * A short id such as DOC-42 for the gutter, inside `<a className="no">`. One that is too long for
 * the gutter shows only its number.
 */
export function ShortId({ id }: { id: string }) {
  const dash = id.lastIndexOf('-') + 1
  const prefix = id.slice(0, dash)
  return (
    <>
      <span className={id.length > MAX_GUTTER_CHARS ? 'sr' : undefined}>{prefix}</span>
      {id.slice(dash)}
    </>
  )
}
