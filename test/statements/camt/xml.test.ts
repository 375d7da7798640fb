import { parseXml, XmlCdata, XmlElement, XmlText } from '@rgrove/parse-xml'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readXml } from '../../../statements/shared/markup.ts'
import { Unreadable } from '../../../statements/shared/unreadable.ts'
import { corpus } from '../corpus.ts'

type Element = { name: string; attributes: Record<string, string>; text: string; children: Element[] }

/** The root of a document; null if that is not well-formed. */
function byOurs(xml: string): Element | null {
  const root: Element = { name: '', attributes: {}, text: '', children: [] }
  const open = [root]
  try {
    readXml(xml, {
      open(name, attributes) {
        const element = { name, attributes: Object.fromEntries(attributes), text: '', children: [] }
        open.at(-1)?.children.push(element)
        open.push(element)
      },
      close(_, text) {
        Object.assign(open.pop() ?? {}, { text })
      },
    })
  } catch (error) {
    if (error instanceof Unreadable) return null
    throw error
  }
  return root.children[0] ?? null
}

function byParseXml(xml: string): Element | null {
  const read = ({ name, attributes, children }: XmlElement): Element => ({
    name: name.replace(/^.*:/, ''),
    attributes: { ...attributes },
    text: children
      .map((node) => (node instanceof XmlText || node instanceof XmlCdata ? node.text : ''))
      .join(''),
    children: children.filter((node) => node instanceof XmlElement).map(read),
  })
  try {
    const { root } = parseXml(xml)
    return root && read(root)
  } catch {
    return null
  }
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

/** Documents that are not well-formed may be read, as long as their elements are nested. */
function expectAsParseXml(xml: string): void {
  const root = byParseXml(xml)
  if (root) expect(byOurs(xml)).toEqual(root)
}

test('well-formed documents of any kind are read as parse-xml reads them', () => {
  fc.assert(fc.property(documents, expectAsParseXml), { numRuns: 5_000 })
})

test('documents that have been damaged and are still well-formed are read as parse-xml reads them', () => {
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
      expectAsParseXml(file.slice(0, place) + piece + file.slice(place + length))
    }),
    { numRuns: 1_000 },
  )
})

test.each([
  '<a><b></a></b>',
  '<a></a><b></b>',
  '<a><b></a>',
  '<a>',
  '<a></a></b>',
  '<a>1 < 2</a>',
  '<a><b',
  '<a><!-- </a>',
])('elements that are not nested are refused: %s', (xml) => {
  expect(byOurs(xml)).toBeNull()
})

test('white space in an attribute is a space, unless a reference stands for it', () => {
  const xml = '<a b="\n1\r\n2\t3\r4&#10;"/>'
  expect(byOurs(xml)?.attributes).toEqual({ b: ' 1 2 3 4\n' })
  expect(byOurs(xml)).toEqual(byParseXml(xml))
})
