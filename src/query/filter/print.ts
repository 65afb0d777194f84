// Prints a filter's tree as a document, normalized as in MongoDB's explain: equalities as $eq,
// conjunctions as $and, $ne as $not. Parsing the result gives the same filter.

import { Elements } from '../../value/elements.js'
import { bsonType, type Document, regexOf } from '../../value/value.js'
import { type DocumentWriter, writeDocument } from '../../value/writer.js'
import { type FilterNode, isLeaf, type LeafNode } from './node.js'

export function filterToDocument(node: FilterNode): Document {
  return writeDocument((writer) => print(node, writer))
}

function print(node: FilterNode, writer: DocumentWriter): void {
  if (isLeaf(node)) {
    writer.openDocument(node.path.text)
    printLeaf(node, writer)
    writer.close()
    return
  }
  switch (node.op) {
    case 'always':
      return
    case 'never':
      writer.int32('$alwaysFalse', 1)
      return
    case 'and':
    case 'or':
    case 'nor':
      writer.openArray(`$${node.op}`)
      for (const child of node.children) writer.pushDocument(filterToDocument(child))
      writer.close()
      return
    case 'not':
      printNot(node.child, writer)
      return
    case 'expr':
    case 'jsonSchema':
      writer.value(`$${node.op}`, node.value)
      return
  }
}

function printNot(child: FilterNode, writer: DocumentWriter): void {
  if (!isLeaf(child)) {
    writer.openArray('$nor').pushDocument(filterToDocument(child)).close()
    return
  }
  writer.openDocument(child.path.text).openDocument('$not')
  printLeaf(child, writer)
  writer.close().close()
}

/** Writes the operator of a leaf into the document of its path. */
function printLeaf(node: LeafNode, writer: DocumentWriter): void {
  switch (node.op) {
    case 'exists':
      if (node.exists) writer.bool('$exists', true)
      else writer.openDocument('$not').bool('$exists', true).close()
      return
    case 'regex': {
      const { pattern, options } = regexOf(node.value)
      writer.string('$regex', pattern)
      if (options !== '') writer.string('$options', options)
      return
    }
    case 'elemMatch':
      writer.openDocument('$elemMatch')
      if (node.form === 'object') copyFields(filterToDocument(node.child), writer)
      else printOperators(node.child, writer)
      writer.close()
      return
    case 'type':
      if (node.value.type === bsonType.array) writer.value('$type', node.value)
      else writer.openArray('$type').push(node.value).close()
      return
    case 'eq':
    case 'lt':
    case 'lte':
    case 'gt':
    case 'gte':
    case 'in':
    case 'all':
    case 'size':
    case 'mod':
    case 'bitsAllSet':
    case 'bitsAllClear':
    case 'bitsAnySet':
    case 'bitsAnyClear':
      writer.value(`$${node.op}`, node.value)
      return
  }
}

/** Writes operators of the value form of $elemMatch, which have no path of their own. */
function printOperators(node: FilterNode, writer: DocumentWriter): void {
  if (isLeaf(node)) printLeaf(node, writer)
  else if (node.op === 'and') for (const child of node.children) printOperators(child, writer)
  else if (node.op === 'not') {
    writer.openDocument('$not')
    printOperators(node.child, writer)
    writer.close()
  }
}

function copyFields(document: Document, writer: DocumentWriter): void {
  const elements = new Elements(document)
  while (elements.next()) writer.element(document, elements.start, elements.valueEnd)
}
