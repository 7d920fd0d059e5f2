const MOST = 8

/** DOC-42 for the gutter, to stand in `<a className="no">`: one longer than the gutter shows its number alone. */
export function ShortId({ id }: { id: string }) {
  const dash = id.lastIndexOf('-') + 1
  const prefix = id.slice(0, dash)
  return (
    <>
      <span className={id.length > MOST ? 'sr' : undefined}>{prefix}</span>
      {id.slice(dash)}
    </>
  )
}
