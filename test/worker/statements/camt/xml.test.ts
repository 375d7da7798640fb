import { parseXml, XmlCdata, XmlElement, XmlText } from '@rgrove/parse-xml'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeReferences, readXml } from '../../../../src/imports/formats/xml-reader.ts'
import { Invalid } from '../../../../src/shared/failures.ts'
import { corpus } from '../corpus.ts'

/** The names, attributes and texts of a document in their order; null if it is not well-formed. */
type Said = unknown[] | null

function byOurs(xml: string): Said {
  const root: unknown[] = []
  const open = [root]
  const say = (what: unknown) => open.at(-1)?.push(what)
  try {
    readXml(xml, {
      open(name, attributes) {
        const children: unknown[] = []
        say([name, Object.fromEntries(attributes), children])
        open.push(children)
      },
      text: (raw) => say(decodeReferences(raw)),
      cdata: say,
      close: () => open.pop(),
    })
  } catch (error) {
    if (error instanceof Invalid) return null
    throw error
  }
  return joined(root)
}

function byParseXml(xml: string): Said {
  const say = (element: XmlElement): unknown[] => [
    element.name,
    { ...element.attributes },
    joined(
      element.children.flatMap((node): unknown[] => {
        if (node instanceof XmlElement) return [say(node)]
        return node instanceof XmlText || node instanceof XmlCdata ? [node.text] : []
      }),
    ),
  ]
  try {
    const { root } = parseXml(xml)
    return root && [say(root)]
  } catch {
    return null
  }
}

/** Joins neighbouring texts, whatever was between them. */
function joined(nodes: unknown[]): unknown[] {
  const all: unknown[] = []
  for (const node of nodes) {
    const children = Array.isArray(node) ? [node[0], node[1], joined(node[2])] : node
    const last = all.at(-1)
    if (typeof node === 'string' && typeof last === 'string') all[all.length - 1] = last + node
    else if (node !== '') all.push(children)
  }
  return all
}

/** The pieces that documents are made of, valid and invalid ones. */
const pieces = fc.constantFrom(
  ...['<a>', '</a>', '<b c="d">', '</b>', '<n:a/>', '<a b=\'&amp;"\' c = "1"/>', '<a b="1" b="2"/>'],
  ...['<a b=c/>', 'text', ' ', '\n', '&amp;', '&#65;', '&#x1F600;', '&#0;', '&#xD800;', '&euro;', '&'],
  ...['&amp', ']]>', '>', '<', '"', '<!-- a -->', '<!-- -- -->', '<!--->', '<![CDATA[ <&>]] ]]>'],
  ...['<![CDATA[', '<?pi some?>', '<?xml?>', '<?pi?>', '<?pi', '<é/>', '<1/>', '<a b>', '</a >', '</ a>'],
  ...['<a\n b="\n<"/>', '\u0001', '😀', '<a b="😀&lt;"/>', '<a b="1"c="2"/>'],
)
const documents = fc
  .tuple(
    fc.constantFrom(
      '',
      '<?xml version="1.0"?>',
      '<?xml version="1.0" encoding="utf-8" standalone="no" ?>\n',
      ' <?xml version="1.0"?>',
      '<?xml?>',
    ),
    fc.array(pieces, { maxLength: 12 }),
    fc.boolean(),
  )
  .map(([prolog, parts, isWrapped]) => prolog + (isWrapped ? `<r>${parts.join('')}</r>` : parts.join('')))

test('documents of any kind are read, or refused, as parse-xml does', () => {
  fc.assert(
    fc.property(documents, (xml) => {
      expect(byOurs(xml)).toEqual(byParseXml(xml))
    }),
    { numRuns: 20_000 },
  )
})

test('documents that were good and have been damaged are read, or refused, as parse-xml does', () => {
  const files = [...corpus].flatMap(([path, text]) => (path.endsWith('.xml') ? [text] : []))
  const damage = fc.record({
    file: fc.constantFrom(...files),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.integer({ min: 0, max: 20 }),
    piece: pieces,
  })
  fc.assert(
    fc.property(damage, ({ file, at, length, piece }) => {
      const place = Math.floor(at * file.length)
      const xml = file.slice(0, place) + piece + file.slice(place + length)
      expect(byOurs(xml)).toEqual(byParseXml(xml))
    }),
    { numRuns: 1_000 },
  )
})

test('white space in an attribute is a space, unless a reference stands for it', () => {
  const xml = '<a b="\n1\r\n2\t3\r4&#10;"/>'
  expect(byOurs(xml)).toEqual([['a', { b: ' 1 2 3 4\n' }, []]])
  expect(byOurs(xml)).toEqual(byParseXml(xml))
})

test('has a limited number of references, since each takes far longer than a letter', () => {
  const references = (count: number) => `<a b="&amp;">${'&lt;'.repeat(count - 1)}</a>`
  expect(byOurs(references(300_000))).not.toBeNull()
  expect(byOurs(references(300_001))).toBeNull()
})
