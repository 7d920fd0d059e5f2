/**
 * The files that a person means to paste. Office programs add a picture to the text that was copied;
 * then the text is meant. File managers add the names or paths of the copied files as text.
 */
export function getPastedFiles(pasted: {
  files: Iterable<File>
  getData: (type: string) => string
}): File[] {
  const files = [...pasted.files]
  const lines = pasted
    .getData('text/plain')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
  const isNamesOnly = lines.every((line) => files.some(({ name }) => line.endsWith(name)))
  return isNamesOnly ? files : []
}
