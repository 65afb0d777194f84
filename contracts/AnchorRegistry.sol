// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// @title Anchor registry
/// @notice Keeps, for each account and each of its graphs, a chain of Merkle roots: when a root was
/// anchored, as which in the sequence, and on top of which earlier root. A root cannot be replaced, and
/// one left out shows, since the next would name it as the one before.
/// @dev Entries belong to the sender. An account that copies a pending transaction anchors the
/// roots for itself and changes nothing for the sender; readers ask for the entry of the account
/// they trust.
contract AnchorRegistry {
    /// @dev `prev` is the sender's latest root of the graph, zero for the first; `count` how many leaves
    /// the tree under `root` has.
    struct Anchor {
        bytes32 graphKey;
        bytes32 root;
        bytes32 prev;
        uint32 count;
    }

    /// @dev Two slots. The sequence starts at 1, so that zero means no entry.
    struct Entry {
        uint64 anchoredAt;
        uint64 sequence;
        uint32 count;
        bytes32 prev;
    }

    mapping(address sender => mapping(bytes32 graphKey => mapping(bytes32 root => Entry))) private _entries;
    mapping(address sender => mapping(bytes32 graphKey => bytes32 root)) private _latest;

    event Anchored(
        address indexed anchoredBy,
        bytes32 indexed graphKey,
        bytes32 indexed root,
        bytes32 prev,
        uint64 sequence,
        uint32 count,
        uint64 anchoredAt
    );

    /// @dev A graph key, a root or a count is zero, or there is nothing to anchor at all.
    error EmptyValue();
    /// @dev The sender's latest root of that graph is `expected`.
    error BadPrevious(bytes32 graphKey, bytes32 prev, bytes32 expected);
    /// @dev The sender has anchored that root for that graph before.
    error AlreadyAnchored(bytes32 graphKey, bytes32 root);

    /// @notice Anchors all the roots, in their order, or none; a graph may appear more than once.
    function anchor(Anchor[] calldata anchors) external {
        if (anchors.length == 0) revert EmptyValue();
        for (uint256 i = 0; i < anchors.length; ++i) {
            _anchor(anchors[i]);
        }
    }

    /// @notice The entry of a root; zeros where that account never anchored it for that graph.
    function getAnchor(
        address anchoredBy,
        bytes32 graphKey,
        bytes32 root
    ) external view returns (uint64 anchoredAt, uint64 sequence, bytes32 prev, uint32 count) {
        Entry storage entry = _entries[anchoredBy][graphKey][root];
        return (entry.anchoredAt, entry.sequence, entry.prev, entry.count);
    }

    /// @notice The latest root of an account's graph and how many it has anchored; zeros before the first.
    function latestAnchor(
        address anchoredBy,
        bytes32 graphKey
    ) external view returns (bytes32 root, uint64 sequence) {
        root = _latest[anchoredBy][graphKey];
        sequence = _entries[anchoredBy][graphKey][root].sequence;
    }

    function _anchor(Anchor calldata one) private {
        (bytes32 graphKey, bytes32 root, bytes32 prev) = (one.graphKey, one.root, one.prev);
        if (graphKey == 0 || root == 0 || one.count == 0) revert EmptyValue();
        mapping(bytes32 root => Entry) storage entries = _entries[msg.sender][graphKey];
        bytes32 latest = _latest[msg.sender][graphKey];
        if (prev != latest) revert BadPrevious(graphKey, prev, latest);
        if (entries[root].sequence != 0) revert AlreadyAnchored(graphKey, root);
        uint64 sequence = entries[prev].sequence + 1;
        uint64 anchoredAt = uint64(block.timestamp);
        entries[root] = Entry(anchoredAt, sequence, one.count, prev);
        _latest[msg.sender][graphKey] = root;
        emit Anchored(msg.sender, graphKey, root, prev, sequence, one.count, anchoredAt);
    }
}
